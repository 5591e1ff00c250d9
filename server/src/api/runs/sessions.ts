import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { closeSession, openSession, sessionSecret } from "#operations/runs/interactive-sessions";

export const openSessionEndpoint = endpoint({
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

export const closeSessionEndpoint = endpoint({
  operation: "close-session",
  summary: "Close an interactive session: not on this server",
  access: "user",
  worksOnFullDisk: true,
  schema: { params: WORKFLOW_PARAMS, response: { 200: Type.Object({ message: Type.String() }) } },
  handle: (context, { caller, params }) => closeSession(context, caller, params.workflow_id_or_name),
});

export const getSessionSecretEndpoint = endpoint({
  operation: "get-session-secret",
  summary: "Show the address and the secret of an interactive session",
  access: "user",
  scope: "runs",
  schema: {
    params: WORKFLOW_PARAMS,
    response: { 200: Type.Object({ path: Type.String(), session_secret: Type.String() }) },
  },
  handle: (context, { caller, params }) => sessionSecret(context, caller, params.workflow_id_or_name),
});
