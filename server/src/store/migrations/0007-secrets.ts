import { type Kysely, sql } from "kysely";

/** Stores the secrets that users give to their jobs, and indexes workspaces by owner. */
export async function secrets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("secrets")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull().references("users.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("removed_at", "bigint")
    .execute();
  await db.schema
    .createIndex("secrets_current")
    .unique()
    .on("secrets")
    .columns(["user_id", "name"])
    .where(sql<boolean>`removed_at is null`)
    .execute();
  await db.schema.createIndex("secrets_of_user").on("secrets").column("user_id").execute();
  await db.schema.createIndex("workspaces_of_owner").on("workspaces").column("owner_id").execute();
}
