import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable, recordOf } from "#api/http/document/schemas";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { getRunOutputs } from "#operations/watch/run-outputs";

const OutputsRecord = Type.Object({
  ...RUN_NAMED,
  outputs: nullable(
    recordOf(Type.Unknown(), {
      description:
        "In the shape of the language: CWL's output object, with locations relative to the workspace. Null until the run " +
        "has finished, and for a language without one.",
    }),
  ),
});

export const getOutputsEndpoint = endpoint({
  operation: "get-outputs",
  summary:
    "Show the output object of a finished run: the values and files that its workflow names as outputs",
  access: "user",
  schema: { params: WORKFLOW_PARAMS, response: { 200: OutputsRecord } },
  async handle(context, { params, caller }) {
    const { run, outputs } = await getRunOutputs(context, caller, params.workflow_id_or_name);
    return { ...namedRun(run), outputs: outputs ?? null };
  },
});
