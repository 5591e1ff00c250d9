import { type Kysely, sql } from "kysely";

/** Runs share workspaces. The index guarantees, independently of other code, that at most one per workspace is live. */
export async function restarts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("workflows_live_in_workspace")
    .unique()
    .on("workflows")
    .column("workspace_id")
    .where(sql<boolean>`status in ('queued', 'pending', 'running')`)
    .execute();
}
