import type { Limits } from "#operations/quota/limits";
import type { Clock } from "#plumbing/clock";
import type { Connection } from "#store/database/database";
import { cpuMsOfOwner, wallMsOfOwner } from "#store/runs/usage-days";
import { dayOf, maybeUsedUpSentence, periodStart } from "#workflow/people/quota";

/** Processor time and wall clock of users, in the present period of their quotas. */
interface Times {
  cpuMsUsed(userId: string, limits: Limits): Promise<number>;
  wallMsUsed(userId: string, limits: Limits): Promise<number>;
  /**
   * Returns a sentence if one of the two is used up. `runningCpuMs` adds the processor time of jobs that have
   * not ended.
   */
  maybeUsedUp(
    userId: string,
    limits: Limits,
    runningCpuMs?: () => Promise<number>,
  ): Promise<string | undefined>;
}

export function openTimes({ db, clock }: { readonly db: Connection; readonly clock: Clock }): Times {
  const fromDay = ({ period }: Limits, nowMs: number) => period && dayOf(periodStart(period, nowMs));

  const times: Times = {
    cpuMsUsed: (userId, limits) => cpuMsOfOwner(db, userId, fromDay(limits, clock.now())),
    wallMsUsed(userId, limits) {
      const nowMs = clock.now();
      return wallMsOfOwner(db, userId, { fromDay: fromDay(limits, nowMs), nowMs });
    },
    async maybeUsedUp(userId, limits, runningCpuMs) {
      const { cpuMs, wallMs } = limits;
      if (cpuMs !== undefined) {
        const ended = await times.cpuMsUsed(userId, limits);
        // Read after `ended`: a job ending in between is missed once. In the reverse order, the job would
        // count twice.
        const used = ended + ((await runningCpuMs?.()) ?? 0);
        const sentence = maybeUsedUpSentence("cpu", { used, limit: cpuMs });
        if (sentence !== undefined) return sentence;
      }
      if (wallMs === undefined) return undefined;
      return maybeUsedUpSentence("wall", { used: await times.wallMsUsed(userId, limits), limit: wallMs });
    },
  };
  return times;
}
