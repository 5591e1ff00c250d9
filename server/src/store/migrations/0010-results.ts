import type { Kysely } from "kysely";

/**
 * Stores the outputs of each run as they were when it ended, because later runs of its workspace may replace the files,
 * and the source workspace of each rerun.
 */
export async function results(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("run_results")
    .addColumn("workflow_id", "text", (column) => column.notNull().primaryKey().references("workflows.id"))
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("reruns")
    .addColumn("workflow_id", "text", (column) => column.notNull().primaryKey().references("workflows.id"))
    .addColumn("workspace_id", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("source_workspace_id", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("previous", "text")
    .execute();
  await db.schema.createIndex("reruns_by_workspace").on("reruns").column("workspace_id").execute();
  await db.schema.createIndex("reruns_by_source").on("reruns").column("source_workspace_id").execute();
}
