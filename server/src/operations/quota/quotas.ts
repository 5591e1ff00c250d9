import { createDiskMeter } from "#operations/quota/disk-meter";
import { maybeBytesOfOwner, type OwnerFiles } from "#operations/quota/disk-of-owner";
import { type DefaultQuota, type Limits, limitsOf } from "#operations/quota/limits";
import { openRoom, type Room } from "#operations/quota/room";
import { openTimes } from "#operations/quota/times";
import type { Clock } from "#plumbing/clock";
import { Refusal } from "#plumbing/errors";
import { waitsForOwnRuns } from "#workflow/people/policy";
import { maybeUsedUpSentence } from "#workflow/people/quota";

/** A user's usage and limits. */
export interface Quota extends Limits {
  readonly cpuMsUsed: number;
  readonly wallMsUsed: number;
  /** Undefined if the user has too many files to count in a request, and no limit requires the count. */
  readonly diskBytesUsed: number | undefined;
}

/** Quotas of all users. */
export interface Quotas {
  of(userId: string): Promise<Quota>;
  /**
   * Returns a sentence if the user has used up a resource, so that live runs and notebooks must end. The
   * processor time of jobs and notebooks that have not ended is included. Files that are arriving are not.
   */
  maybeUsedUpNow(userId: string): Promise<string | undefined>;
  /**
   * Returns a sentence if the queued runs of a user must wait, with so many active runs: for a policy or a quota. The
   * processor time of jobs and notebooks that have not ended is included.
   */
  maybeMustWait(userId: string, activeRuns: number): Promise<string | undefined>;
  /** Refuses if the user has used up a resource: nothing may be created, uploaded or started. */
  refuseUsedUp(userId: string): Promise<void>;
  /** Opens room for files on their way into a workspace of the user. Refuses if a resource is used up. */
  openRoom(userId: string): Promise<Room>;
}

/** Number of files that can be counted in about a second. A request for the signed-in user must not take longer. */
const FILES_IN_PASSING = 100_000;

interface Measuring {
  /** Measures the disk space of a user. By default the last measure is used, which may be old and too high. */
  readonly diskBytesOf?: (userId: string) => Promise<number>;
  /** True to add the processor time of open jobs and notebooks. */
  readonly withRunning?: boolean;
}

type QuotaContext = OwnerFiles & {
  readonly clock: Clock;
  /** Returns the processor time used so far by a user's open jobs and notebooks. */
  readonly runningCpuMs: (userId: string) => Promise<number>;
};

export function openQuotas(context: QuotaContext, standard: DefaultQuota): Quotas {
  const { db, runningCpuMs } = context;
  const meter = createDiskMeter(context);
  const times = openTimes(context);

  /** Names the exhausted resource: processor time, wall clock, then disk space, the slowest to measure. */
  async function maybeUsedUp(
    userId: string,
    limits: Limits,
    { diskBytesOf = (id) => meter.bytesOf(id), withRunning = false }: Measuring = {},
  ): Promise<string | undefined> {
    const running = withRunning ? () => runningCpuMs(userId) : undefined;
    const sentence = await times.maybeUsedUp(userId, limits, running);
    const { diskBytes: limit } = limits;
    if (sentence !== undefined || limit === undefined) return sentence;
    return maybeUsedUpSentence("disk", { used: await diskBytesOf(userId), limit });
  }

  /** Measures the disk space in this way only if the last measure says that a resource is used up. */
  async function maybeUsedUpAgain(
    userId: string,
    measuring: Required<Measuring>,
  ): Promise<string | undefined> {
    const limits = await limitsOf(db, userId, standard);
    const { withRunning } = measuring;
    const sentence = await maybeUsedUp(userId, limits, { withRunning });
    return sentence === undefined ? undefined : maybeUsedUp(userId, limits, measuring);
  }

  const quotas: Quotas = {
    async of(userId) {
      const limits = await limitsOf(db, userId, standard);
      const counted = await maybeBytesOfOwner(context, userId, FILES_IN_PASSING);
      const isMeasured = counted === undefined && limits.diskBytes !== undefined;
      return {
        ...limits,
        cpuMsUsed: await times.cpuMsUsed(userId, limits),
        wallMsUsed: await times.wallMsUsed(userId, limits),
        diskBytesUsed: isMeasured ? await meter.bytesOf(userId) : counted,
      };
    },
    maybeUsedUpNow: (userId) =>
      maybeUsedUpAgain(userId, { diskBytesOf: (id) => meter.bytesOfFiles(id), withRunning: true }),
    async maybeMustWait(userId, activeRuns) {
      const limits = await limitsOf(db, userId, standard);
      const { maxRuns } = limits;
      if (maxRuns !== undefined && activeRuns >= maxRuns) return waitsForOwnRuns(maxRuns);
      return maybeUsedUp(userId, limits, { withRunning: true });
    },
    async refuseUsedUp(userId) {
      const diskBytesOf = (id: string) => meter.bytesOf(id, { isNew: true });
      const sentence = await maybeUsedUpAgain(userId, { diskBytesOf, withRunning: false });
      if (sentence !== undefined) throw new Refusal("forbidden", sentence, { errorCode: "quota-exceeded" });
    },
    async openRoom(userId) {
      await quotas.refuseUsedUp(userId);
      const { diskBytes } = await limitsOf(db, userId, standard);
      return openRoom(meter, userId, diskBytes);
    },
  };
  return quotas;
}
