import type { Connection } from "#store/database";
import { maybeFirstInQueue, type Standing, standings } from "#store/run-queue";
import type { Workflow } from "#store/workflows";

/** Says which queued run is next on this host. */
export interface Admission {
  /** Its user counts as having had a turn. */
  maybeNext(): Promise<Workflow | undefined>;
}

/**
 * One of the user who has the fewest runs under way, so that ten thousand runs of one do not delay the first of another.
 * Between equals the user who has gone without a turn for longest: where one run goes on at a time all are equal whenever
 * one is chosen. Who had turns before this server began is not known; then the run that has waited longest is next.
 */
export function createAdmission(db: Connection, { maxPerUser }: { readonly maxPerUser: number }): Admission {
  const lastTurns = new Map<string, number>();
  let turns = 0;

  const lastTurnOf = ({ ownerId }: Workflow) => lastTurns.get(ownerId) ?? 0;
  const inOrder = (one: Workflow, other: Workflow) =>
    lastTurnOf(one) - lastTurnOf(other) ||
    (one.queuedAtMs ?? 0) - (other.queuedAtMs ?? 0) ||
    one.seq - other.seq;

  return {
    async maybeNext() {
      const waiting = await standings(db);
      // Only while nobody waits: whoever comes again later must not pass those who have waited since.
      if (waiting.length === 0) lastTurns.clear();
      const firsts = await Promise.all(
        poorest(waiting, maxPerUser).map(({ ownerId }) => maybeFirstInQueue(db, ownerId)),
      );
      const next = firsts.filter((run) => run !== undefined).sort(inOrder)[0];
      if (next) lastTurns.set(next.ownerId, (turns += 1));
      return next;
    },
  };
}

function poorest(all: readonly Standing[], maxPerUser: number): Standing[] {
  const least = Math.min(...all.map((standing) => standing.underWay));
  return least < maxPerUser ? all.filter((standing) => standing.underWay === least) : [];
}
