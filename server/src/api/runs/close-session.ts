import Type from "typebox";
import { endpoint } from "#api/http/route";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { closeSession } from "#operations/runs/interactive-sessions";

export const closeSessionEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/close",
  operation: "close-session",
  summary: "Close an interactive session: not on this server",
  access: "user",
  worksOnFullDisk: true,
  schema: { params: WORKFLOW_PARAMS, response: { 200: Type.Object({ message: Type.String() }) } },
  handle: (context, { caller, params }) => closeSession(context, caller, params.workflow_id_or_name),
});
