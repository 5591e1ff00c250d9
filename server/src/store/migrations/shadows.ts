import type { Kysely } from "kysely";
import { keyOf, notNull, of, zero } from "#store/migrations/columns";

/** Creates the outbox of runs that are also sent to another server, with what came of each. */
export async function createShadows(db: Kysely<unknown>) {
  await db.schema
    .createTable("shadows")
    .addColumn("run_id", "text", keyOf("runs.id"))
    .addColumn("owner_id", "text", of("users.id"))
    .addColumn("remote_id", "text")
    .addColumn("failures", "integer", zero)
    .addColumn("created_at", "bigint", notNull)
    .addColumn("due_at", "bigint")
    .addColumn("problem", "text")
    .addColumn("kind", "text")
    .addColumn("cause", "text")
    .addColumn("result", "text")
    .execute();
  await db.schema.createIndex("shadows_due").on("shadows").column("due_at").execute();
  await db.schema.createIndex("shadows_of_user").on("shadows").columns(["owner_id", "created_at"]).execute();
}
