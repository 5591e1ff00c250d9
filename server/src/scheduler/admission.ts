import type { Connection } from "#store/database/database";
import { maybeFirstInQueue, type QueueLength, queueLengths } from "#store/runs/run-queue";
import type { Run } from "#store/runs/runs";

/** Chooses the queued run that is next on this host. */
export interface Admission {
  /** Returns the next run, and counts a turn for its user. */
  maybeNext(): Promise<Run | undefined>;
}

/**
 * Limit on the equal users that are compared: reading the first run of each of thousands would cost more than it gains.
 */
const COMPARED_MAX = 8;

/**
 * Chooses the user with the fewest active runs, so that ten thousand runs of one user do not delay the first of
 * another. Between equals it chooses the user who has gone without a turn for longest: if only one run at a time is
 * allowed, all are equal at every choice. Turns before this server started are unknown; then the run that has waited
 * longest is next.
 */
export function createAdmission(db: Connection, { maxPerUser }: { readonly maxPerUser: number }): Admission {
  const lastTurns = new Map<string, number>();
  let turns = 0;
  const lastTurnOf = ({ ownerId }: QueueLength) => lastTurns.get(ownerId) ?? 0;

  return {
    async maybeNext() {
      const waiting = await queueLengths(db);
      // Only while the queue is empty: a user who returns later must not pass those who have waited since.
      if (waiting.length === 0) lastTurns.clear();
      const allowed = waiting.filter(({ active }) => active < maxPerUser);
      const equals = withLeast(
        withLeast(allowed, ({ active }) => active),
        lastTurnOf,
      ).slice(0, COMPARED_MAX);
      const firsts = await Promise.all(equals.map(({ ownerId }) => maybeFirstInQueue(db, ownerId)));
      const next = firsts.filter((run) => run !== undefined).sort(byTimeOfQueueing)[0];
      if (next) lastTurns.set(next.ownerId, (turns += 1));
      return next;
    },
  };
}

function withLeast<Item>(items: readonly Item[], measure: (item: Item) => number): Item[] {
  const least = Math.min(...items.map(measure));
  return items.filter((item) => measure(item) === least);
}

function byTimeOfQueueing(one: Run, other: Run): number {
  return (one.queuedAtMs ?? 0) - (other.queuedAtMs ?? 0) || one.seq - other.seq;
}
