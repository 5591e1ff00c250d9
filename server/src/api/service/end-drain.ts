import { DrainRecord, drainRecord } from "#api/service/drain-records";
import { endpoint } from "#api/http/route";
import { endDrain } from "#operations/service/drain";

export const endDrainEndpoint = endpoint({
  method: "DELETE",
  path: "/api/admin/drain",
  operation: "end-drain",
  summary: "Give queued runs their turn again, and go on with those that were let go of",
  access: "admin",
  worksOnFullDisk: true,
  schema: { response: { 200: DrainRecord } },
  handle: async (context) => drainRecord(await endDrain(context)),
});
