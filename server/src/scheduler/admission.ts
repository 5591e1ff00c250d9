import type { Connection } from "#store/database/database";
import { maybeFirstInQueue, type QueueLength, queueLengths } from "#store/runs/run-queue";
import type { Run } from "#store/runs/runs";

/** Chooses the queued run that is next on this host. */
export interface Admission {
  /** Returns the next run, and counts a turn for its user. */
  maybeNext(): Promise<Run | undefined>;
  /** Returns the users whose runs were found to wait for a quota or a policy, with the sentence about it. */
  held(): ReadonlyMap<string, string>;
}

interface AdmissionOptions {
  readonly maxPerUser: number;
  /** Returns a sentence if the runs of a user must wait, because a quota is used up or a policy allows no more at once. */
  readonly maybeMustWait: (userId: string, activeRuns: number) => Promise<string | undefined>;
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
export function createAdmission(db: Connection, { maxPerUser, maybeMustWait }: AdmissionOptions): Admission {
  const lastTurns = new Map<string, number>();
  const held = new Map<string, string>();
  let turns = 0;
  const lastTurnOf = ({ ownerId }: QueueLength) => lastTurns.get(ownerId) ?? 0;

  async function maybeFirst(allowed: readonly QueueLength[]): Promise<Run | undefined> {
    const equals = withLeast(
      withLeast(allowed, ({ active }) => active),
      lastTurnOf,
    ).slice(0, COMPARED_MAX);
    const firsts = await Promise.all(equals.map(({ ownerId }) => maybeFirstInQueue(db, ownerId)));
    return firsts.filter((run) => run !== undefined).sort(byTimeOfQueueing)[0];
  }

  return {
    held: () => held,
    async maybeNext() {
      const waiting = await queueLengths(db);
      // Only while the queue is empty: a user who returns later must not pass those who have waited since.
      if (waiting.length === 0) {
        lastTurns.clear();
        held.clear();
      }
      let allowed = waiting.filter(({ active }) => active < maxPerUser);
      for (;;) {
        const next = await maybeFirst(allowed);
        if (!next) return undefined;
        const { active } = allowed.find(({ ownerId }) => ownerId === next.ownerId)!;
        const sentence = await maybeMustWait(next.ownerId, active);
        if (sentence === undefined) {
          held.delete(next.ownerId);
          lastTurns.set(next.ownerId, (turns += 1));
          return next;
        }
        held.set(next.ownerId, sentence);
        allowed = allowed.filter(({ ownerId }) => ownerId !== next.ownerId);
      }
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
