import Type from "typebox";
import { NOTEBOOK_SCOPE } from "#api/http/access/scope";
import { endpoint } from "#api/http/endpoint";
import { WORKFLOW_PARAMS } from "#api/http/reply/workflow-records";
import { notebookUrl } from "#api/notebooks/notebook-url";
import { closeNotebook, notebookSecret, openNotebook } from "#operations/runs/notebooks";

export const openSessionEndpoint = endpoint({
  operation: "open-session",
  summary: "Open a notebook on the files of a run",
  access: "user",
  schema: {
    params: Type.Object({
      ...WORKFLOW_PARAMS.properties,
      type: Type.String({ description: "Type of the session: `jupyter`." }),
    }),
    body: Type.Object({ image: Type.Optional(Type.String({ description: "An image with JupyterLab." })) }),
    response: { 200: Type.Object({ path: Type.String() }) },
  },
  handle: (context, { caller, params: { workflow_id_or_name: address, type }, body }) =>
    openNotebook(context, caller, { address, type, ...(body?.image && { image: body.image }) }),
});

export const closeSessionEndpoint = endpoint({
  operation: "close-session",
  summary: "Close the notebook of a run",
  access: "user",
  worksOnFullDisk: true,
  schema: { params: WORKFLOW_PARAMS, response: { 200: Type.Object({ message: Type.String() }) } },
  async handle(context, { caller, params }) {
    await closeNotebook(context, caller, params.workflow_id_or_name);
    return { message: "The interactive session has been closed" };
  },
});

export const getSessionSecretEndpoint = endpoint({
  operation: "get-session-secret",
  summary: "Show the address and the secret of the notebook of a run",
  access: "user",
  scope: NOTEBOOK_SCOPE,
  schema: {
    params: WORKFLOW_PARAMS,
    response: {
      200: Type.Object({
        path: Type.String(),
        session_secret: Type.String(),
        url: Type.String({ description: "Address to open in a browser, with the secret." }),
      }),
    },
  },
  async handle(context, request) {
    const { caller, params } = request;
    const found = await notebookSecret(context, caller, params.workflow_id_or_name);
    return { ...found, url: notebookUrl(context, request, found.path, found.session_secret) };
  },
});
