import { DrainRecord, drainRecord } from "#api/service/drain-records";
import { endpoint } from "#api/http/route";
import { getDrain } from "#operations/service/drain";

export const getDrainEndpoint = endpoint({
  method: "GET",
  path: "/api/admin/drain",
  operation: "get-drain",
  summary: "Whether the server begins runs, and how many are under way",
  access: "admin",
  schema: { response: { 200: DrainRecord } },
  handle: async (context) => drainRecord(await getDrain(context)),
});
