import type { Kysely } from "kysely";

/** Stores restart requests, and the traces that decide which jobs a restart may take over. */
export async function reuse(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workflow_definitions").addColumn("restart", "text").execute();
  await db.schema.alterTable("jobs").addColumn("taken_from", "text").execute();
  await db.schema
    .createTable("job_traces")
    .addColumn("job_id", "text", (column) => column.notNull().primaryKey().references("jobs.id"))
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
}
