import { endpoint } from "#api/route";
import { Message } from "#api/schemas";

export const getHealthEndpoint = endpoint({
  method: "GET",
  path: "/healthz",
  operation: "get-health",
  summary: "Whether the process answers at all; if not, restart it",
  access: "anyone",
  schema: { response: { 200: Message } },
  handle: () => ({ message: "OK" }),
});
