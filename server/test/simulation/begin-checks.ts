import { type Resources, resourcesOf, succeeded } from "#workflow/job";
import type { ClusterJob } from "./cluster.ts";
import type { Sites } from "./sites.ts";
import type { SeenRun } from "./witness.ts";

interface Known {
  readonly sites: () => Sites;
  readonly capacity: Resources | undefined;
}

/** What the jobs of a host use together must not be more than it has; one that wants more than that gets all of it. */
export function overCapacity(job: ClusterJob, { sites, capacity }: Known): string[] {
  if (!capacity) return [];
  const beside = sites()
    .running()
    .filter((other) => other.hostId === job.hostId);
  return (["cores", "memoryBytes"] as const).flatMap((what) => {
    const amounts = beside.map((one) => Math.min(resourcesOf(one.request.job)[what], capacity[what]));
    const used = amounts.reduce((sum, amount) => sum + amount, 0);
    return used > capacity[what]
      ? [`The jobs of ${job.hostId} use ${used} ${what} of ${capacity[what]}.`]
      : [];
  });
}

/** In the language of the serial engine keys are `step.command`. */
export function outOfOrder(run: SeenRun, job: ClusterJob, { sites }: Known): string[] {
  const { key } = job.request.job;
  if (!/^\d+\.\d+$/.test(key)) return [];
  const own = run.jobs.get(job.request.id)!.ordinal;
  const before = [...run.jobs].filter(([, row]) => row.ordinal < own);
  const unended = before.filter(
    ([id]) =>
      !sites()
        .known(id)
        .some(({ state }) => state.status === "ended" && succeeded(state.end)),
  );
  return unended.map(([, row]) => `The command of ${run.id}/${key} begins before ${row.key} has ended well.`);
}
