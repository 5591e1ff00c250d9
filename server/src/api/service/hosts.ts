import Type, { type Static } from "typebox";
import { endpoint } from "#api/http/endpoint";
import { oneOf, utcTime, utcTimeOrNull, toUtcTime, nullable } from "#api/http/document/schemas";
import { declareHostLost, getHosts, type KnownHost } from "#operations/service/hosts";

const HostRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: "Name of the machine." }),
    state: oneOf(["present", "silent", "lost"] as const, {
      description:
        "`present`: its server runs. `silent`: it has not been seen for 30 seconds, or has signed off. " +
        "`lost`: the administrator has declared that it will not come back.",
    }),
    seen: nullable(utcTime("When it was last seen; null after it has signed off.")),
    declared_lost: nullable(utcTime()),
    runs_held: Type.Integer({
      description: "Number of live runs driven by the host now, or before the host fell silent.",
    }),
    jobs_running: Type.Integer({ description: "Number of running jobs visible only to the host." }),
  },
  { title: "Host" },
);

function hostRecord(host: KnownHost): Static<typeof HostRecord> {
  return {
    id: host.id,
    name: host.name,
    state: stateOf(host),
    seen: host.seenAtMs === 0 ? null : toUtcTime(host.seenAtMs),
    declared_lost: utcTimeOrNull(host.declaredLostAtMs),
    runs_held: host.runs,
    jobs_running: host.jobs,
  };
}

function stateOf({ isPresent, declaredLostAtMs }: KnownHost) {
  if (isPresent) return "present";
  return declaredLostAtMs === null ? "silent" : "lost";
}

export const listHostsEndpoint = endpoint({
  operation: "list-hosts",
  summary: "List the hosts that share the database",
  access: "admin",
  schema: { response: { 200: Type.Array(HostRecord) } },
  handle: async (context) => (await getHosts(context)).map(hostRecord),
});

export const declareHostLostEndpoint = endpoint({
  operation: "declare-host-lost",
  summary: "Declare that a host will not come back: its jobs are lost, and its runs continue elsewhere",
  access: "admin",
  worksOnFullDisk: true,
  refuses: [404, 409],
  schema: {
    params: Type.Object({ host: Type.String({ description: "Id of the host." }) }),
    response: { 200: HostRecord },
  },
  handle: async (context, request) => hostRecord(await declareHostLost(context, request.params.host)),
});
