import type { RunDriver } from "#runner/loop/run-driver";

/** Knows which users have used up what they may use. */
export interface QuotaCheck {
  /** Returns a sentence if a user has used up a resource, with the processor time of jobs that have not ended. */
  maybeUsedUpNow(userId: string): Promise<string | undefined>;
  /** Returns a sentence if the queued runs of a user must wait, with so many active runs. */
  maybeMustWait(userId: string, activeRuns: number): Promise<string | undefined>;
}

/** Fails the runs of users who have used up a resource. Their jobs are ended. */
export async function endRunsOverQuota(drivers: readonly RunDriver[], quotas: QuotaCheck): Promise<void> {
  for (const [ownerId, runs] of Map.groupBy(drivers, (driver) => driver.ownerId)) {
    const sentence = await quotas.maybeUsedUpNow(ownerId);
    if (sentence !== undefined) for (const run of runs) run.fail(sentence);
  }
}
