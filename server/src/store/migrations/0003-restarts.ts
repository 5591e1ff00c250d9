import { type Kysely, sql } from "kysely";

/** Runs share workspaces: at most one of them is live at any moment, whatever the code above does. */
export async function restarts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("workflows_live_in_workspace")
    .unique()
    .on("workflows")
    .column("workspace_id")
    .where(sql<boolean>`status in ('queued', 'pending', 'running')`)
    .execute();
}
