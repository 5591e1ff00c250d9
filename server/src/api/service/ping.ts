import Type from "typebox";
import { endpoint } from "#api/http/route";

export const pingEndpoint = endpoint({
  method: "GET",
  path: "/api/ping",
  operation: "ping",
  summary: "Whether the service is running and accessible",
  access: "anyone",
  schema: {
    response: {
      200: Type.Object({
        message: Type.String(),
        status: Type.String({ description: "A text, as REANA's clients expect it." }),
        reana_server_version: Type.String(),
        api_capabilities: Type.Array(Type.String(), {
          description: "What REANA's newer client asks for before it sends a specification.",
        }),
      }),
    },
  },
  handle: (context) => ({
    message: "OK",
    status: "200",
    reana_server_version: context.version,
    api_capabilities: ["workflow-specification-bundles-v1"],
  }),
});
