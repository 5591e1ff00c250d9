import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { namedRun, RUN_NAMED, WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { previewPrune } from "#operations/files/preview-prune";

export const previewPruneEndpoint = endpoint({
  operation: "preview-prune",
  summary: "Show what a prune, or a retention rule, would delete now",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: Type.Object({
      include_inputs: Type.Optional(Type.Boolean({ description: "Also the declared inputs." })),
      include_outputs: Type.Optional(Type.Boolean({ description: "Also the declared outputs." })),
      rule: Type.Optional(
        Type.String({ description: "Id of a retention rule of the run, instead of a prune." }),
      ),
    }),
    response: {
      200: Type.Object({
        ...RUN_NAMED,
        total_files: Type.Integer(),
        total_bytes: Type.Integer(),
        files: Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer() }), {
          description: "At most the first 1000.",
        }),
      }),
    },
  },
  async handle(context, { caller, params, query }) {
    const { run, prunable } = await previewPrune(context, caller, {
      address: params.workflow_id_or_name,
      includeInputs: query.include_inputs ?? false,
      includeOutputs: query.include_outputs ?? false,
      rule: query.rule,
    });
    const { files, totalFiles, totalBytes } = prunable;
    return { ...namedRun(run), total_files: totalFiles, total_bytes: totalBytes, files: [...files] };
  },
});
