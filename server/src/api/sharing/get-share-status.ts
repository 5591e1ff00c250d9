import Type from "typebox";
import { endpoint } from "#api/http/route";
import { nullable } from "#api/http/schemas";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { fullNameOf } from "#operations/full-name";
import { shareStatus } from "#operations/sharing/sharing";

export const getShareStatusEndpoint = endpoint({
  method: "GET",
  path: "/api/workflows/{workflow_id_or_name}/share-status",
  operation: "get-share-status",
  summary: "With whom a workflow is shared",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        workflow_id: Type.String({ format: "uuid" }),
        workflow_name: Type.String(),
        shared_with: Type.Array(
          Type.Object({ user_email: Type.String(), valid_until: nullable(Type.String()) }),
        ),
      }),
    },
  },
  async handle(context, { caller, params }) {
    const workflow = await shareStatus(context, caller, params.workflow_id_or_name);
    return { workflow_id: workflow.id, workflow_name: fullNameOf(workflow), shared_with: [] };
  },
});
