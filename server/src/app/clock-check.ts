import type { Clock } from "#plumbing/clock";
import { duration } from "#plumbing/text/duration";
import type { Connection } from "#store/database/database";
import { readDatabaseTime } from "#store/database/database-time";

/** Difference of clocks without effect on the times of runs. */
const TOLERATED_MS = 2000;

/**
 * Returns a sentence if the machine's clock differs from the database's clock. Leases are safe then, because the
 * database's clock alone decides them, but servers disagree about the times of runs.
 */
export async function maybeClockWarning(
  db: Connection,
  clock: Pick<Clock, "now" | "elapsedMs">,
): Promise<string | undefined> {
  const askedAtMs = clock.elapsedMs();
  const hereMs = clock.now();
  const differenceMs = hereMs - (await readDatabaseTime(db));
  // The database may have read its clock at any moment of the question.
  const tookMs = clock.elapsedMs() - askedAtMs;
  if (differenceMs > TOLERATED_MS) return sentence(differenceMs, "ahead of");
  const behindMs = -differenceMs - tookMs;
  return behindMs > TOLERATED_MS ? sentence(behindMs, "behind") : undefined;
}

function sentence(ms: number, where: string): string {
  return (
    `The clock of this machine is ${duration(ms)} ${where} the clock of the database: times that it records for runs ` +
    "disagree with those of other servers. Let both machines keep the time, for example by chrony."
  );
}
