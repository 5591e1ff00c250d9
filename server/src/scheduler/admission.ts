import type { Connection } from "#store/database";
import { maybeFirstInQueue, type Standing, standings } from "#store/run-queue";
import type { Workflow } from "#store/workflows";

/**
 * Which queued run is next: one of the user who has the fewest runs under way, so that ten thousand runs of one do not
 * delay the first of another. Between equals the one who has waited longest.
 */
export async function maybeNextRun(
  db: Connection,
  { maxPerUser }: { readonly maxPerUser: number },
): Promise<Workflow | undefined> {
  const firsts = await Promise.all(
    poorest(await standings(db), maxPerUser).map(({ ownerId }) => maybeFirstInQueue(db, ownerId)),
  );
  return firsts.filter((run) => run !== undefined).sort(byTimeOfQueueing)[0];
}

function poorest(all: readonly Standing[], maxPerUser: number): Standing[] {
  const least = Math.min(...all.map((standing) => standing.underWay));
  return least < maxPerUser ? all.filter((standing) => standing.underWay === least) : [];
}

function byTimeOfQueueing(one: Workflow, other: Workflow): number {
  return (one.queuedAtMs ?? 0) - (other.queuedAtMs ?? 0) || one.seq - other.seq;
}
