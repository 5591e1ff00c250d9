import { findRun } from "#operations/find-run";
import type { Caller } from "#operations/context";
import { fullNameOf } from "#operations/full-name";
import type { RunServices } from "#operations/runs/services";
import { Refusal } from "#plumbing/errors";

/**
 * Returns where the dashboard of a run's Dask cluster is served, and its secret. The pages are made by code that the
 * owner of the run chose, on an origin with other notebooks of the reader. Therefore only the owner opens them.
 */
export async function daskDashboard(
  context: Pick<RunServices, "db" | "clock" | "dashboards">,
  caller: Caller,
  address: string,
): Promise<{ readonly path: string; readonly secret: string }> {
  const run = await findRun(context, caller, address, "change");
  const { dashboards } = context;
  const scheduler = await dashboards.maybeScheduler(run.id);
  const name = fullNameOf(run);
  if (!scheduler) throw new Refusal("absent", `Workflow ${name} has no running Dask cluster.`);
  if (!dashboards.isWithinReach(scheduler)) {
    const where = `The Dask cluster of ${name} runs on ${scheduler.backend}`;
    throw new Refusal("absent", `${where}, where this server cannot reach its dashboard.`);
  }
  const dashboard = await dashboards.maybeOf(scheduler);
  if (dashboard) return { path: `/${run.id}`, secret: dashboard.secret };
  throw new Refusal(
    "absent",
    `The Dask scheduler of ${name} shows no dashboard. Its image needs a version of \`bokeh\` that Dask can use; the log of dask-scheduler says more.`,
  );
}
