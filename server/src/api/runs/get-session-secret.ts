import Type from "typebox";
import { endpoint } from "#api/http/route";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { sessionSecret } from "#operations/runs/interactive-sessions";

export const getSessionSecretEndpoint = endpoint({
  method: "GET",
  path: "/api/workflows/{workflow_id_or_name}/interactive-session-secret",
  operation: "get-session-secret",
  summary: "Where an interactive session is, and its secret",
  access: "user",
  schema: {
    params: WORKFLOW_PARAMS,
    response: { 200: Type.Object({ path: Type.String(), session_secret: Type.String() }) },
  },
  handle: (context, { caller, params }) => sessionSecret(context, caller, params.workflow_id_or_name),
});
