import Type from "typebox";
import { DrainRecord, drainRecord } from "#api/service/drain-records";
import { endpoint } from "#api/http/route";
import { drain } from "#operations/service/drain";

export const drainEndpoint = endpoint({
  method: "POST",
  path: "/api/admin/drain",
  operation: "drain",
  summary: "Before an upgrade: give no queued run its turn any more, until the server is started anew",
  access: "admin",
  worksOnFullDisk: true,
  schema: {
    body: Type.Object({
      now: Type.Optional(
        Type.Boolean({ description: "Hand over running runs as well: their jobs continue by themselves" }),
      ),
    }),
    response: { 200: DrainRecord },
  },
  handle: async (context, request) =>
    drainRecord(await drain(context, { handOver: request.body?.now ?? false })),
});
