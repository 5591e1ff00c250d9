import type { Clock } from "#plumbing/clock";
import type { Connection } from "#store/database/database";
import type { Run } from "#store/runs/runs";
import { isSharedWith, readersAmong } from "#store/sharing/shares";

/**
 * Permissions on a run. Its owner may see and change it. Users with whom it is shared, directly or through a
 * group, may see it until the share ends. The administrator may do neither.
 */

interface PermissionContext {
  readonly db: Connection;
  readonly clock: Clock;
}

type User = { readonly id: string };

export function mayChange(caller: User, run: Pick<Run, "ownerId">): boolean {
  return run.ownerId === caller.id;
}

export async function maySee({ db, clock }: PermissionContext, caller: User, run: Run): Promise<boolean> {
  if (mayChange(caller, run)) return true;
  return isSharedWith(db, { runSeq: run.seq, userId: caller.id, nowMs: clock.now() });
}

/** A user who reads a run for longer than a request. */
export interface Reader {
  readonly callerId: string;
  readonly run: Pick<Run, "seq" | "ownerId">;
}

/** Returns the readers with current access to their runs, with a single query. */
export async function readersWithAccess<One extends Reader>(
  db: Connection,
  readers: readonly One[],
  nowMs: number,
): Promise<ReadonlySet<One>> {
  const others = readers.filter(({ callerId, run }) => !mayChange({ id: callerId }, run));
  const runSeqs = [...new Set(others.map(({ run }) => run.seq))];
  const userIds = [...new Set(others.map(({ callerId }) => callerId))];
  const shared = new Set(
    (await readersAmong(db, { runSeqs, userIds }, nowMs)).map(({ runSeq, userId }) => `${runSeq} ${userId}`),
  );
  return new Set(
    readers.filter(
      ({ callerId, run }) => mayChange({ id: callerId }, run) || shared.has(`${run.seq} ${callerId}`),
    ),
  );
}
