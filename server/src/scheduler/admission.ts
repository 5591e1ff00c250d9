import type { Connection } from "#store/database/database";
import { maybeFirstInQueue, type QueueLength, queueLengths } from "#store/runs/run-queue";
import type { Run } from "#store/runs/runs";
import { hasSeveralUsers } from "#store/users/users";

/** Chooses the next queued run for this host. */
export interface Admission {
  /** Returns the next run, and counts a turn for its user. */
  maybeNext(): Promise<Run | undefined>;
  /** Returns the users whose runs wait for a quota, a policy or a fair share of the places, with the sentence about it. */
  held(): ReadonlyMap<string, string>;
}

interface AdmissionOptions {
  readonly maxPerUser: number;
  /** Returns how many more runs this host may drive. */
  readonly freePlaces: () => number;
  /** Returns how many runs of the user this host drives. */
  readonly drivenFor: (userId: string) => number;
  /** Returns a sentence if the runs of a user must wait, because a quota is used up or a policy allows no more at once. */
  readonly maybeMustWait: (userId: string, activeRuns: number) => Promise<string | undefined>;
}

/**
 * Limit on the equal users that are compared: reading the first run of each of thousands would cost more than it gains.
 */
const COMPARED_MAX = 8;

/**
 * Chooses the user with the fewest active runs, so that ten thousand runs of one user do not delay the first of
 * another user. Between equals, chooses the user who has gone without a turn for longest: if only one run at a time is
 * allowed, all users are equal at every choice. Turns before the start of this server are unknown; without known turns,
 * the run that has waited longest is next.
 *
 * If there are several users, each user may have as many runs as places are still free: a user alone has half of the
 * places, and one place is free for the next user at any time. A running run cannot be interrupted, so the first run of
 * another user would otherwise wait for the end of a run, perhaps for days.
 */
export function createAdmission(db: Connection, options: AdmissionOptions): Admission {
  const { maxPerUser, maybeMustWait } = options;
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

  async function maybeOverShare(userId: string): Promise<string | undefined> {
    const [driven, free] = [options.drivenFor(userId), options.freePlaces()];
    if (driven < free || !(await hasSeveralUsers(db))) return undefined;
    const runs = driven === 1 ? "One of your runs is" : `${driven} of your runs are`;
    return `${runs} active, and the places that are free are kept for other users. The next one starts when one of yours ends.`;
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
        const sentence = (await maybeMustWait(next.ownerId, active)) ?? (await maybeOverShare(next.ownerId));
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
