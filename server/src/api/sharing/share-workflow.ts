import Type from "typebox";
import { endpoint } from "#api/http/route";
import { SharingRecord } from "#api/sharing/sharing-records";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { shareWorkflow } from "#operations/sharing/sharing";

export const shareWorkflowEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/share",
  operation: "share-workflow",
  summary: "Share a workflow with another user: not on this server",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    body: Type.Object({
      user_email_to_share_with: Type.Optional(Type.String()),
      message: Type.Optional(Type.String()),
      valid_until: Type.Optional(Type.String()),
    }),
    response: { 200: SharingRecord },
  },
  handle: (context, { caller, params }) => shareWorkflow(context, caller, params.workflow_id_or_name),
});
