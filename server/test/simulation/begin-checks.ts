import { attemptOf, type Resources, resourcesOf, succeeded } from "#workflow/job/job";
import type { ClusterJob } from "./cluster.ts";
import type { JobRow } from "./change-log.ts";
import type { Sites } from "./sites.ts";
import { JOIN, PART } from "./workload/languages.ts";
import { isIndependent } from "./workload/workload.ts";
import type { SeenRun } from "./witness.ts";

interface Known {
  readonly sites: () => Sites;
  readonly isHostBound: boolean;
  readonly capacity: Resources | undefined;
}

/**
 * Checks that the jobs of a host do not exceed the host's capacity. A job with a larger demand counts as
 * using the whole host.
 */
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

/**
 * Checks the order of commands. In the language of the serial engine, keys have the form `step.command`. A command of an
 * independent step may begin although one of another independent step has failed for good.
 */
export function outOfOrder(run: SeenRun, job: ClusterJob, { sites }: Known): string[] {
  const { key } = job.request.job;
  if (!/^\d+\.\d+$/.test(key)) return [];
  const own = run.jobs.get(job.request.id)!.ordinal;
  const before = [...run.jobs].filter(
    ([, row]) => row.ordinal < own && row.key !== key && row.takenFrom === null,
  );
  const endedWell = before.filter(([id]) =>
    sites()
      .known(id)
      .some(({ state }) => state.status === "ended" && succeeded(state.end)),
  );
  const well = new Set(endedWell.map(([, row]) => row.key));
  const mayGoOnAfter = (row: JobRow) =>
    isIndependent(row.name) &&
    isIndependent(job.request.job.name) &&
    stepOf(row.key) !== stepOf(key) &&
    (row.status === "failed" || row.status === "stopped");
  const unended = new Set(
    before.filter(([, row]) => !well.has(row.key) && !mayGoOnAfter(row)).map(([, row]) => row.key),
  );
  return [...unended].map((one) => `The command of ${run.id}/${key} begins before ${one} has ended well.`);
}

/** Checks that the joining step of a run begins only when all parts have succeeded. */
export function joinsEarly(run: SeenRun, job: ClusterJob, { sites }: Known): string[] {
  if (job.request.job.name !== JOIN) return [];
  const open = [...run.jobs].filter(
    ([id, { name, takenFrom }]) =>
      name.startsWith(PART) &&
      takenFrom === null &&
      !sites()
        .known(id)
        .some(({ state }) => state.status === "ended" && succeeded(state.end)),
  );
  return open.map(([, { key }]) => `What joins the parts of ${run.id} begins before ${key} has ended well.`);
}

function stepOf(key: string): string {
  return key.split(".")[0]!;
}

/** Checks that no concurrent run uses the workspace of the job's run. */
export function notAlone(job: ClusterJob, { sites, isHostBound }: Known): string[] {
  const { workspaceFolder } = job.request;
  const others = sites()
    .running()
    .filter((one) => one.run !== job.run && one.request.workspaceFolder === workspaceFolder)
    .filter((one) => isOf(job, one, isHostBound));
  return others.map(
    (one) => `The command of ${job.run} begins; one of ${one.run} runs in the same workspace.`,
  );
}

/** Checks that a command is retried only after the attempt before has failed for good and nothing is left running. */
export function tooEarly(
  run: SeenRun,
  job: ClusterJob,
  { sites, isHostBound, isGivenUp }: Known & { readonly isGivenUp: (job: ClusterJob) => boolean },
): string[] {
  const { key } = job.request.job;
  const attempt = attemptOf(job.request.job);
  const before = [...run.jobs].filter(([, row]) => row.key === key && row.attempt < attempt);
  const what = `Attempt ${attempt} of ${run.id}/${key}`;
  if (before.length !== attempt - 1) return [`${what} begins after ${before.length} others.`];
  return before.flatMap(([id, row]) => [
    ...(row.status === "failed" || row.status === "stopped"
      ? []
      : [`${what} begins; another is ${row.status}.`]),
    ...sites()
      .known(id)
      .filter((one) => !isGivenUp(one))
      .filter((one) => one.state.status === "running" || (one.hasLeftovers && isOf(job, one, isHostBound)))
      .map(() => `${what} begins; something of attempt ${row.attempt} is left.`),
  ]);
}

/**
 * Returns whether both jobs run in the same place. If jobs are bound to hosts, each host can end only its own
 * leftovers.
 */
function isOf(job: ClusterJob, other: ClusterJob, isHostBound: boolean): boolean {
  return !isHostBound || job.hostId === other.hostId;
}
