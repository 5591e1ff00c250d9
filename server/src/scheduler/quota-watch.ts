import type { RunDriver } from "#runner/loop/run-driver";

/** Checks which users have used up a quota. */
export interface QuotaCheck {
  /** Returns a sentence if a user has used up a resource, with the processor time of jobs that have not ended. */
  maybeUsedUpNow(userId: string): Promise<string | undefined>;
  /** Returns a sentence if the queued runs of a user must wait, with so many active runs. */
  maybeMustWait(userId: string, activeRuns: number): Promise<string | undefined>;
}

interface Watch {
  readonly quotas: Pick<QuotaCheck, "maybeUsedUpNow">;
  readonly log: { error(details: object, message: string): void };
}

/**
 * Fails the runs of users who have used up a resource, and ends the jobs of the runs. A failing check of one
 * user does not affect other users.
 */
export async function endRunsOverQuota(
  drivers: readonly Pick<RunDriver, "ownerId" | "fail">[],
  { quotas, log }: Watch,
): Promise<void> {
  for (const [ownerId, runs] of Map.groupBy(drivers, (driver) => driver.ownerId)) {
    try {
      const sentence = await quotas.maybeUsedUpNow(ownerId);
      if (sentence !== undefined) for (const run of runs) run.fail(sentence);
    } catch (error) {
      log.error(
        { err: error, user: ownerId },
        "Checking the quota of a user failed; it will be tried again.",
      );
    }
  }
}
