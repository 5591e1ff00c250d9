import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { nullable } from "#api/http/document/schemas";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { getResults, type RunResults } from "#operations/watch/run-results";

const ResultFileRecord = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  sha256: nullable(Type.String({ description: "Null for a link, and for files beyond 1 GiB of one run." })),
  replaced_by: nullable(
    Type.String({ description: "The later run of the workspace that replaced or removed the file." }),
  ),
  is_removed: Type.Boolean({ description: "True if the run left no file of the name." }),
});

const ResultsRecord = Type.Object({
  ...RUN_NAMED,
  is_recorded: Type.Boolean({
    description: "False while the run is live, if it declares no outputs, and for runs of older servers.",
  }),
  is_cut: Type.Boolean({
    description: "True if there are more than 10,000 files, or some could not be read.",
  }),
  files: Type.Array(ResultFileRecord),
  note: nullable(
    Type.String({ description: "A sentence if the files in the workspace may not be those of the run." }),
  ),
});

export const getResultsEndpoint = endpoint({
  operation: "get-results",
  summary: "List the declared outputs of a run with their checksums, and which of them a later run replaced",
  access: "user",
  schema: { params: WORKFLOW_PARAMS, response: { 200: ResultsRecord } },
  async handle(context, { params, caller }) {
    return resultsRecord(await getResults(context, caller, params.workflow_id_or_name));
  },
});

function resultsRecord({ run, results, replaced, note }: RunResults) {
  const replacements = new Map(replaced.map((one) => [one.path, one]));
  return {
    ...namedRun(run),
    is_recorded: results !== undefined,
    is_cut: results?.isCut ?? false,
    files: (results?.files ?? []).map(({ path, bytes, sha256 }) => ({
      name: path,
      bytes,
      sha256,
      replaced_by: replacements.get(path)?.by ?? null,
      is_removed: replacements.get(path)?.isGone ?? false,
    })),
    note: note ?? null,
  };
}
