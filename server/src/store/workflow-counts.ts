import { sql } from "kysely";
import type { Connection } from "#store/database";
import type { RunStatus } from "#workflow/run-status";

/** Moves the maintained total of an owner's workflows in a status; in the transaction that changes the rows. */
export async function addToCount(
  db: Connection,
  ownerId: string,
  status: RunStatus,
  change: number,
): Promise<void> {
  await db
    .insertInto("workflow_counts")
    .values({ owner_id: ownerId, status, total: change })
    .onConflict((conflict) =>
      conflict.columns(["owner_id", "status"]).doUpdateSet({ total: sql`workflow_counts.total + excluded.total` }),
    )
    .execute();
}

/** How many workflows an owner has in any of these statuses, without counting them. */
export async function countInStatuses(
  db: Connection,
  ownerId: string,
  statuses: readonly RunStatus[],
): Promise<number> {
  const rows = await db
    .selectFrom("workflow_counts")
    .select("total")
    .where("owner_id", "=", ownerId)
    .where("status", "in", [...statuses])
    .execute();
  return rows.reduce((sum, row) => sum + row.total, 0);
}
