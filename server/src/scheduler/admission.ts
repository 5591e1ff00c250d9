import type { Connection } from "#store/database";
import { maybeFirstInQueue, type Standing, standings } from "#store/run-queue";
import type { Workflow } from "#store/workflows";

/** Says which queued run is next on this host. */
export interface Admission {
  /** Its user counts as having had a turn. */
  maybeNext(): Promise<Workflow | undefined>;
}

/** Of users who are equal in everything: a look at the first run of each of thousands would cost more than it is worth. */
const COMPARED_MAX = 8;

/**
 * One of the user who has the fewest runs under way, so that ten thousand runs of one do not delay the first of another.
 * Between equals the user who has gone without a turn for longest: where one run goes on at a time all are equal whenever
 * one is chosen. Who had turns before this server began is not known; then the run that has waited longest is next.
 */
export function createAdmission(db: Connection, { maxPerUser }: { readonly maxPerUser: number }): Admission {
  const lastTurns = new Map<string, number>();
  let turns = 0;
  const lastTurnOf = ({ ownerId }: Standing) => lastTurns.get(ownerId) ?? 0;

  return {
    async maybeNext() {
      const waiting = await standings(db);
      // Only while nobody waits: whoever comes again later must not pass those who have waited since.
      if (waiting.length === 0) lastTurns.clear();
      const allowed = waiting.filter(({ underWay }) => underWay < maxPerUser);
      const equals = withLeast(
        withLeast(allowed, ({ underWay }) => underWay),
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

function byTimeOfQueueing(one: Workflow, other: Workflow): number {
  return (one.queuedAtMs ?? 0) - (other.queuedAtMs ?? 0) || one.seq - other.seq;
}
