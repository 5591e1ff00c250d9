import type { Kysely } from "kysely";
import type { ColumnDifferences } from "#store/migrations/columns";
import { keyOf, notNull, of } from "#store/migrations/columns";

/** Creates the tables for owners' notes and tags. */
export async function createNotes(db: Kysely<unknown>, { rowNumber }: ColumnDifferences) {
  await db.schema
    .createTable("run_notes")
    .addColumn("run_seq", rowNumber, keyOf("runs.seq"))
    .addColumn("note", "text", notNull)
    .execute();
  await db.schema
    .createTable("run_tags")
    .addColumn("run_seq", rowNumber, of("runs.seq"))
    .addColumn("tag", "text", notNull)
    .addPrimaryKeyConstraint("run_tags_key", ["run_seq", "tag"])
    .execute();
  await db.schema.createIndex("runs_by_tag").on("run_tags").columns(["tag", "run_seq"]).execute();
}
