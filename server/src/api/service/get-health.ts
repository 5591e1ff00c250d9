import { endpoint } from "#api/http/route";
import { Message } from "#api/http/schemas";

export const getHealthEndpoint = endpoint({
  method: "GET",
  path: "/healthz",
  operation: "get-health",
  summary: "Whether the process answers at all; if not, restart it",
  access: "anyone",
  schema: { response: { 200: Message } },
  handle: () => ({ message: "OK" }),
});
