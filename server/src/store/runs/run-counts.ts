import { type Insertable, sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { Tables } from "#store/database/tables";
import { isLive, type RunStatus } from "#workflow/run/run-status";

interface CountMove {
  readonly ownerId: string;
  readonly from: RunStatus;
  readonly to: RunStatus;
}

const moveOne = fixedQuery((db, { ownerId, from, to }: CountMove) =>
  add(db, [
    { owner_id: ownerId, status: from, total: -1 },
    { owner_id: ownerId, status: to, total: 1 },
  ]),
);

/**
 * Moves one run between its owner's maintained totals. Must run in the transaction changing the run's row.
 */
export async function moveCount(db: Connection, move: CountMove): Promise<void> {
  await moveOne(db, move);
}

const addOne = fixedQuery((db, { ownerId }: { ownerId: string }) =>
  add(db, [{ owner_id: ownerId, status: "created", total: 1 }]),
);

/** Counts a new run. */
export async function countCreated(db: Connection, ownerId: string): Promise<void> {
  await addOne(db, { ownerId });
}

function add(db: Connection, changes: readonly Insertable<Tables["run_counts"]>[]) {
  return db
    .insertInto("run_counts")
    .values(changes)
    .onConflict((conflict) =>
      conflict.columns(["owner_id", "status"]).doUpdateSet({ total: sql`run_counts.total + excluded.total` }),
    );
}

const countsOfOwner = fixedQuery((db, { ownerId }: { ownerId: string }) =>
  db.selectFrom("run_counts").select(["status", "total"]).where("owner_id", "=", ownerId),
);

/** Returns how many runs an owner has in any of these statuses, from the maintained totals. */
export async function countInStatuses(
  db: Connection,
  ownerId: string,
  statuses: readonly RunStatus[],
): Promise<number> {
  const { rows } = await countsOfOwner(db, { ownerId });
  return rows.reduce((sum, row) => (statuses.includes(row.status) ? sum + row.total : sum), 0);
}

/**
 * Returns how many runs each owner has that are not deleted, and how many of them are live, from the
 * maintained totals.
 */
export async function countAllRuns(
  db: Connection,
): Promise<ReadonlyMap<string, { readonly runs: number; readonly liveRuns: number }>> {
  const rows = await db
    .selectFrom("run_counts")
    .select(["owner_id", "status", "total"])
    .where("status", "!=", "deleted")
    .execute();
  const sum = (some: typeof rows) => some.reduce((total, row) => total + row.total, 0);
  const byOwner = Map.groupBy(rows, (row) => row.owner_id);
  return new Map(
    [...byOwner].map(([owner, all]) => [
      owner,
      { runs: sum(all), liveRuns: sum(all.filter(({ status }) => isLive(status))) },
    ]),
  );
}
