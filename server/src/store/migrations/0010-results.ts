import type { Kysely } from "kysely";

/** The outputs of each run as they were when it ended: later runs of its workspace may replace the files. */
export async function results(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("run_results")
    .addColumn("workflow_id", "text", (column) => column.notNull().primaryKey().references("workflows.id"))
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
}
