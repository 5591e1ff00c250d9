import { type Kysely, sql } from "kysely";

/** Stores which files of a workspace are deleted, and how many days after the end of their run. */
export async function retention(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("retention_rules")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("workflow_id", "text", (column) => column.notNull().references("workflows.id"))
    .addColumn("pattern", "text", (column) => column.notNull())
    .addColumn("days", "integer", (column) => column.notNull())
    .addColumn("claimed_by", "text")
    .addColumn("applied_at", "bigint")
    .execute();
  await db.schema.createIndex("retention_of_workflow").on("retention_rules").column("workflow_id").execute();
  await db.schema
    .createIndex("retention_open")
    .on("retention_rules")
    .column("id")
    .where(sql<boolean>`applied_at is null`)
    .execute();
}
