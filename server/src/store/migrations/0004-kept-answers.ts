import type { Kysely } from "kysely";

/** Stores responses by idempotency key, so that a repeated request is carried out once. */
export async function keptAnswers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("kept_answers")
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("fingerprint", "text", (column) => column.notNull())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("kept_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("kept_answers_key", ["user_id", "key"])
    .execute();
  await db.schema.createIndex("kept_answers_by_age").on("kept_answers").column("kept_at").execute();
}
