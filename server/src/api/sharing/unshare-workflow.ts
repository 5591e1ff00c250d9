import Type from "typebox";
import { endpoint } from "#api/http/route";
import { SharingRecord } from "#api/sharing/sharing-records";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { unshareWorkflow } from "#operations/sharing/sharing";

/** User to unshare with. REANA's command line sends it in the query, its page in the body. */
const WHOM = Type.Object({ user_email_to_unshare_with: Type.Optional(Type.String()) });

export const unshareWorkflowEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/unshare",
  operation: "unshare-workflow",
  summary: "Share a workflow with a user no longer",
  access: "user",
  schema: { params: WORKFLOW_PARAMS, querystring: WHOM, body: WHOM, response: { 200: SharingRecord } },
  handle(context, { caller, params, query, body }) {
    const email = query.user_email_to_unshare_with ?? body?.user_email_to_unshare_with;
    return unshareWorkflow(context, caller, { address: params.workflow_id_or_name, email });
  },
});
