import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { oneOf } from "#api/http/schemas";
import { drain, DRAINING, type DrainState, endDrain, getDrain } from "#operations/service/drain";

const DrainRecord = Type.Object(
  {
    draining: oneOf(DRAINING),
    runs_under_way: Type.Integer({ description: "Runs that this server drives; at 0 it has nothing to do." }),
    runs_queued: Type.Integer({ description: "Runs that wait for their turn, of all users." }),
  },
  { title: "Drain" },
);

function drainRecord({ draining, underWay, queued }: DrainState) {
  return { draining, runs_under_way: underWay, runs_queued: queued };
}

export const getDrainEndpoint = endpoint({
  operation: "get-drain",
  summary: "Whether the server begins runs, and how many are under way",
  access: "admin",
  schema: { response: { 200: DrainRecord } },
  handle: async (context) => drainRecord(await getDrain(context)),
});

export const drainEndpoint = endpoint({
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

export const endDrainEndpoint = endpoint({
  operation: "end-drain",
  summary: "Give queued runs their turn again, and go on with those that were let go of",
  access: "admin",
  worksOnFullDisk: true,
  schema: { response: { 200: DrainRecord } },
  handle: async (context) => drainRecord(await endDrain(context)),
});
