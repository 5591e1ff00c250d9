import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { publishRunOutputs } from "#operations/files/publish-outputs";

export const publishOutputsEndpoint = endpoint({
  operation: "publish-outputs",
  summary: "Publish the outputs of a finished workflow at their destination, or the rest of them",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        ...RUN_NAMED,
        state: Type.Enum(["publishing", "published", "unpublished"], {
          description: "`publishing` if more time is needed. Repeat the request to wait for the end.",
        }),
        folder: Type.String({ description: "Address of the folder at the destination." }),
        published: Type.Integer({ description: "Number of outputs that are there." }),
        total: Type.Integer(),
        message: Type.String(),
      }),
    },
  },
  async handle(context, { params, caller }) {
    const { run, ...rest } = await publishRunOutputs(context, caller, params.workflow_id_or_name);
    return { ...namedRun(run), ...rest };
  },
});
