import { endpoint } from "#api/http/route";
import { Message } from "#api/http/schemas";
import { checkReadiness } from "#operations/service/check-readiness";

export const getReadinessEndpoint = endpoint({
  method: "GET",
  path: "/readyz",
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
