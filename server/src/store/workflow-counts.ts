import { sql } from "kysely";
import type { Connection } from "#store/database";
import { fixedQuery } from "#store/fixed-query";
import type { RunStatus } from "#workflow/run-status";

interface CountChange {
  readonly ownerId: string;
  readonly status: RunStatus;
  readonly change: number;
}

const moveCount = fixedQuery((db, { ownerId, status, change }: CountChange) =>
  db
    .insertInto("workflow_counts")
    .values({ owner_id: ownerId, status, total: change })
    .onConflict((conflict) =>
      conflict
        .columns(["owner_id", "status"])
        .doUpdateSet({ total: sql`workflow_counts.total + excluded.total` }),
    ),
);

/** Moves the maintained total of an owner's workflows in a status; in the transaction that changes the rows. */
export async function addToCount(
  db: Connection,
  ownerId: string,
  status: RunStatus,
  change: number,
): Promise<void> {
  await moveCount(db, { ownerId, status, change });
}

const countsOfOwner = fixedQuery((db, { ownerId }: { ownerId: string }) =>
  db.selectFrom("workflow_counts").select(["status", "total"]).where("owner_id", "=", ownerId),
);

/** How many workflows an owner has in any of these statuses, without counting them. */
export async function countInStatuses(
  db: Connection,
  ownerId: string,
  statuses: readonly RunStatus[],
): Promise<number> {
  const { rows } = await countsOfOwner(db, { ownerId });
  return rows.reduce((sum, row) => (statuses.includes(row.status) ? sum + row.total : sum), 0);
}
