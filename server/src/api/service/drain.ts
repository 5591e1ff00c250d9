import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { oneOf } from "#api/http/document/schemas";
import { drain, DRAINING, type DrainState, endDrain, getDrain } from "#operations/service/drain";

const DrainRecord = Type.Object(
  {
    draining: oneOf(DRAINING),
    runs_active: Type.Integer({ description: "Number of runs driven by the server." }),
    runs_queued: Type.Integer({ description: "Queued runs of all users." }),
  },
  { title: "Drain" },
);

function drainRecord({ draining, active, queued }: DrainState) {
  return { draining, runs_active: active, runs_queued: queued };
}

export const getDrainEndpoint = endpoint({
  operation: "get-drain",
  summary: "Show whether the server is drained, and how many runs it is driving",
  access: "admin",
  schema: { response: { 200: DrainRecord } },
  handle: async (context) => drainRecord(await getDrain(context)),
});

export const drainEndpoint = endpoint({
  operation: "drain",
  summary: "Drain the server before an upgrade: start no queued runs until the server is restarted",
  access: "admin",
  worksOnFullDisk: true,
  schema: {
    body: Type.Object({
      now: Type.Optional(Type.Boolean({ description: "Also hands over running runs. Their jobs continue." })),
    }),
    response: { 200: DrainRecord },
  },
  handle: async (context, request) =>
    drainRecord(await drain(context, { handOver: request.body?.now ?? false })),
});

export const endDrainEndpoint = endpoint({
  operation: "end-drain",
  summary: "End the drain: start queued runs again, and resume runs that were handed over",
  access: "admin",
  worksOnFullDisk: true,
  schema: { response: { 200: DrainRecord } },
  handle: async (context) => drainRecord(await endDrain(context)),
});
