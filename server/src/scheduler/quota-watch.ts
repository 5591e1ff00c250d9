import { cpuMsOfRunningJobs } from "#runner/jobs/cpu-so-far";
import type { RunDriver, RunnerContext } from "#runner/loop/run-driver";

/** Knows which users have used up what they may use. */
export interface QuotaCheck {
  /**
   * Returns a sentence if a user has used up a resource. `runningCpuMs` measures the processor time of jobs that have not
   * ended; it is called only for users whose processor time is limited.
   */
  maybeUsedUp(userId: string, runningCpuMs?: () => Promise<number>): Promise<string | undefined>;
  /** Returns a sentence if the queued runs of a user must wait, with so many active runs. */
  maybeMustWait(userId: string, activeRuns: number): Promise<string | undefined>;
}

/** Fails the runs of users who have used up a resource. Their jobs are ended. */
export async function endRunsOverQuota(
  drivers: readonly RunDriver[],
  {
    quotas,
    runner,
  }: { readonly quotas: QuotaCheck; readonly runner: Pick<RunnerContext, "db" | "backends"> },
): Promise<void> {
  for (const [ownerId, runs] of Map.groupBy(drivers, (driver) => driver.ownerId)) {
    const runIds = runs.map(({ runId }) => runId);
    const sentence = await quotas.maybeUsedUp(ownerId, () => cpuMsOfRunningJobs(runner, runIds));
    if (sentence !== undefined) for (const run of runs) run.fail(sentence);
  }
}
