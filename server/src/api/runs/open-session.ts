import Type from "typebox";
import { endpoint } from "#api/http/route";
import { WORKFLOW_PARAMS } from "#api/http/workflow-records";
import { openSession } from "#operations/runs/interactive-sessions";

export const openSessionEndpoint = endpoint({
  method: "POST",
  path: "/api/workflows/{workflow_id_or_name}/open/{type}",
  operation: "open-session",
  summary: "Open an interactive session: not on this server",
  access: "user",
  schema: {
    params: Type.Object({
      ...WORKFLOW_PARAMS.properties,
      type: Type.String({ description: "`jupyter`." }),
    }),
    body: Type.Object({ image: Type.Optional(Type.String()) }),
    response: { 200: Type.Object({ path: Type.String() }) },
  },
  handle: (context, { caller, params: { workflow_id_or_name: address, type } }) =>
    openSession(context, caller, { address, type }),
});
