import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";
import type { GivenUpJobs } from "#runner/jobs/given-up-jobs";
import type { Connection } from "#store/database/database";
import { LEASE_MS, mustEndJobs, noteJobsEnded } from "#store/hosts/hosts";
import { type GivenUpJob, jobsGivenUp } from "#store/jobs/given-up-jobs";

interface ReturnedHostOptions {
  readonly db: Connection;
  readonly clock: Clock;
  readonly hostId: string;
  readonly jobs: GivenUpJobs;
  readonly log: { warn?(details: object, message: string): void };
}

/**
 * Ends the jobs of this host that other hosts have given up while the host was declared lost: the jobs may
 * run a second time elsewhere. Repeats the check for the time of a lease, because another host may have taken
 * a run in the last moment of the declaration, and because an operation in progress here may submit a job
 * late.
 */
export function createReturnedHost({ db, clock, hostId, jobs, log }: ReturnedHostOptions) {
  const ended = new Set<string>();
  let sinceMs: number | undefined;

  async function endNew(): Promise<void> {
    const found = (await jobsGivenUp(db, hostId)).filter(({ id }) => !ended.has(id));
    if (found.length === 0) return;
    const live = await jobs.end(found);
    for (const { id } of found) ended.add(id);
    if (live.length > 0) log.warn?.({ host: hostId, jobs: live.length, runs: runsOf(live) }, ENDED);
  }

  return {
    async look(): Promise<void> {
      if (!(await mustEndJobs(db, hostId))) return;
      sinceMs ??= clock.elapsedMs();
      await endNew();
      crashPoint("given-up-jobs-ended");
      if (clock.elapsedMs() - sinceMs < LEASE_MS) return;
      await noteJobsEnded(db, hostId);
      sinceMs = undefined;
      ended.clear();
    },
  };
}

const ENDED =
  "This host was declared lost while it was silent, and other hosts went on without its jobs: those that were still " +
  "running here were ended.";

function runsOf(jobs: readonly GivenUpJob[]): string[] {
  return [...new Set(jobs.map(({ runId }) => runId))];
}
