import Type from "typebox";
import { endpoint } from "#api/route";
import { nullable } from "#api/schemas";

const Text = Type.Object({ title: Type.String(), value: Type.String() });
const MaybeText = Type.Object({ title: Type.String(), value: nullable(Type.String()) });
const Texts = Type.Object({ title: Type.String(), value: Type.Array(Type.String()) });

export const getInfoEndpoint = endpoint({
  method: "GET",
  path: "/api/info",
  operation: "get-info",
  summary: "What this server can do",
  access: "user",
  schema: {
    response: {
      200: Type.Object({
        compute_backends: Texts,
        default_workspace: Text,
        workspaces_available: Texts,
        supported_workflow_engines: Texts,
        maximum_workspace_retention_period: MaybeText,
      }),
    },
  },
  handle: ({ capabilities, workspaces }) => ({
    compute_backends: {
      title: "List of supported compute backends",
      value: [...capabilities.computeBackends],
    },
    default_workspace: { title: "Default workspace", value: workspaces.root },
    workspaces_available: { title: "List of available workspaces", value: [workspaces.root] },
    supported_workflow_engines: {
      title: "List of supported workflow engines",
      value: [...capabilities.languages],
    },
    maximum_workspace_retention_period: {
      title: "Maximum retention period in days for workspace files",
      value: null,
    },
  }),
});
