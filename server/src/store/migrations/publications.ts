import type { Kysely } from "kysely";
import { keyOf, notNull, zero } from "#store/migrations/columns";

/** Creates the table of runs that are published on other servers. */
export async function createPublications(db: Kysely<unknown>) {
  await db.schema
    .createTable("publications")
    .addColumn("run_id", "text", keyOf("runs.id"))
    .addColumn("request", "text", notNull)
    .addColumn("progress", "text", notNull)
    .addColumn("submits", "integer", zero)
    .addColumn("held_by", "text")
    .addColumn("failures", "integer", zero)
    .addColumn("created_at", "bigint", notNull)
    .addColumn("due_at", "bigint")
    .addColumn("problem", "text")
    .execute();
  await db.schema.createIndex("publications_due").on("publications").column("due_at").execute();
}
