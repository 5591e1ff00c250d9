import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { Message } from "#api/http/schemas";
import { checkReadiness } from "#operations/service/check-readiness";

export const pingEndpoint = endpoint({
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

export const getHealthEndpoint = endpoint({
  operation: "get-health",
  summary: "Whether the process answers at all; if not, restart it",
  access: "anyone",
  schema: { response: { 200: Message } },
  handle: () => ({ message: "OK" }),
});

export const getReadinessEndpoint = endpoint({
  operation: "get-readiness",
  summary: "Whether requests can be served now: the database answers, and its disk is not full",
  access: "anyone",
  refuses: [503],
  schema: { response: { 200: Message } },
  handle: async (context) => {
    await checkReadiness(context);
    return { message: "OK" };
  },
});
