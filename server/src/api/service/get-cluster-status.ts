import Type from "typebox";
import { endpoint } from "#api/http/endpoint";
import { oneOf } from "#api/http/document/schemas";
import { getLoad } from "#operations/service/get-load";

const FREE = {
  available: Type.Integer({ description: "Number of free cores or bytes." }),
  total: Type.Integer(),
  percentage: Type.Integer({ description: "The free share of the total, in percent." }),
  health: oneOf(["healthy", "warning", "critical"]),
  sort: Type.Integer(),
};

/** Status of the cluster in REANA's form, computed from the hosts in this database. */
export const getClusterStatusEndpoint = endpoint({
  operation: "get-cluster-status",
  summary: "Show the load of the service",
  access: "user",
  schema: {
    response: {
      200: Type.Object({
        node: Type.Object({ ...FREE, unschedulable: Type.Integer() }),
        job: Type.Object({ ...FREE, running: Type.Integer(), pending: Type.Integer() }),
        workflow: Type.Object({
          ...FREE,
          running: Type.Integer(),
          queued: Type.Integer(),
          pending: Type.Integer(),
        }),
        session: Type.Object({ active: Type.Integer(), sort: Type.Integer() }),
      }),
    },
  },
  async handle(context) {
    const { hosts, jobs, runs, capacity } = await getLoad(context);
    return {
      node: {
        ...freeOf(hosts.present, hosts.total),
        unschedulable: hosts.total - hosts.present,
        sort: 0,
      },
      job: {
        running: jobs.running,
        pending: jobs.created,
        ...freeOf(capacity.cores - jobs.running, capacity.cores),
        sort: 1,
      },
      workflow: { ...runs, ...freeOf(capacity.runs - runs.running - runs.pending, capacity.runs), sort: 2 },
      session: { active: 0, sort: 3 },
    };
  },
});

/** REANA's thresholds, in percent of free capacity. */
const HEALTHY_ABOVE = 50;
const WARNING_ABOVE = 25;

function freeOf(free: number, total: number) {
  const available = Math.max(0, free);
  const percentage = total === 0 ? 0 : Math.floor((100 * available) / total);
  return { available, total, percentage, health: healthOf(percentage) };
}

function healthOf(percentage: number) {
  if (percentage > HEALTHY_ABOVE) return "healthy" as const;
  return percentage > WARNING_ABOVE ? ("warning" as const) : ("critical" as const);
}
