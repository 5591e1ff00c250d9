import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { Message } from "#api/http/document/schemas";
import { checkReadiness } from "#operations/service/check-readiness";

export const pingEndpoint = endpoint({
  operation: "ping",
  summary: "Check that the service is running and accessible",
  access: "anyone",
  schema: {
    response: {
      200: Type.Object({
        message: Type.String(),
        status: Type.String({ description: "A string, as REANA's clients expect." }),
        reana_server_version: Type.String(),
        api_capabilities: Type.Array(Type.String(), {
          description:
            "For newer versions of REANA's client, which read it before they send a specification.",
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
  summary: "Check that the process responds; if it does not, restart it",
  access: "anyone",
  schema: { response: { 200: Message } },
  handle: () => ({ message: "OK" }),
});

export const getReadinessEndpoint = endpoint({
  operation: "get-readiness",
  summary: "Check that requests can be served: the database responds, and its disk is not full",
  access: "anyone",
  refuses: [503],
  schema: { response: { 200: Message } },
  handle: async (context) => ({ message: await checkReadiness(context) }),
});
