import { codeOf, isDiskFull, messageOf } from "#plumbing/errors";
import type { Log } from "#plumbing/log";

export type Outage = "disk" | "database";

/** A log for callers that keep retrying while a disk is full or a database is away. */
export interface OutageLog extends Log {
  /** Returns whether something has failed for that reason, and `over` has not been called since. */
  isUnderWay(outage: Outage): boolean;
  over(outage: Outage): void;
}

const BEGINNINGS: Readonly<Record<Outage, string>> = {
  disk: "The disk is full. Failures because of it are retried, and not logged until there is space.",
  database:
    "The database is not responding. Failures because of it are retried, and not logged until it responds.",
};
const ENDS: Readonly<Record<Outage, string>> = {
  disk: "The disk has space again.",
  database: "The database is responding again.",
};

/**
 * Logs one line at the start of an outage and one at the end, regardless of the number of failed operations.
 */
export function quietInOutages(log: Log): OutageLog {
  const failures = new Map<Outage, number>();

  /**
   * Returns whether the error belongs to an outage. The first error is logged as the start; later errors are
   * only counted.
   */
  function isOfOutage(details: object, during: string): boolean {
    const { err } = details as { readonly err?: unknown };
    const outage = outageOf(err);
    if (!outage) return false;
    const count = failures.get(outage) ?? 0;
    failures.set(outage, count + 1);
    if (count === 0) log.error({ outage, reason: messageOf(err), during }, BEGINNINGS[outage]);
    return true;
  }

  return {
    ...log,
    warn(details, message) {
      if (!isOfOutage(details, message)) log.warn(details, message);
    },
    error(details, message) {
      if (!isOfOutage(details, message)) log.error(details, message);
    },
    isUnderWay: (outage) => failures.has(outage),
    over(outage) {
      const count = failures.get(outage);
      if (count === undefined) return;
      failures.delete(outage);
      log.info({ outage, failures: count }, ENDS[outage]);
    },
  };
}

function outageOf(error: unknown): Outage | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) {
    if (isDiskFull(inner)) return "disk";
    if (["DATABASE_AWAY", "DATABASE_LOST"].includes(codeOf(inner) ?? "")) return "database";
  }
  return undefined;
}
