import Type from "typebox";
import { endpoint } from "#api/http/route";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { pruneWorkspace } from "#operations/files/prune-workspace";

/** Flags of the request. REANA's clients send them in the query; its newest server reads them from the body. */
const FLAGS = Type.Object({
  include_inputs: Type.Optional(Type.Boolean({ description: "Delete the declared inputs as well." })),
  include_outputs: Type.Optional(Type.Boolean({ description: "Delete the declared outputs as well." })),
});

export const pruneWorkspaceEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/prune",
  operation: "prune-workspace",
  summary: "Delete all files of a workspace but the declared inputs and outputs",
  access: "user",
  worksOnFullDisk: true,
  schema: {
    params: WORKFLOW_PARAMS,
    querystring: FLAGS,
    body: FLAGS,
    response: {
      200: Type.Object({
        message: Type.String(),
        workflow_id: Type.String({ format: "uuid" }),
        workflow_name: Type.String({ description: "Without the run number." }),
      }),
    },
  },
  async handle(context, { caller, params, query, body }) {
    const workflow = await pruneWorkspace(context, caller, {
      address: params.workflow_id_or_name,
      includeInputs: query.include_inputs ?? body?.include_inputs ?? false,
      includeOutputs: query.include_outputs ?? body?.include_outputs ?? false,
    });
    return {
      message: "The workspace has been correctly pruned.",
      workflow_id: workflow.id,
      workflow_name: workflow.name,
    };
  },
});
