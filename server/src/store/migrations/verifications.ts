import type { Kysely } from "kysely";
import { keyOf, notNull, of } from "#store/migrations/columns";

/** Creates the table of runs that repeat another run, or one step of it, to verify the results. */
export async function createVerifications(db: Kysely<unknown>) {
  await db.schema
    .createTable("verifications")
    .addColumn("run_id", "text", keyOf("runs.id"))
    .addColumn("verified_id", "text", of("runs.id"))
    .addColumn("step", "text")
    .addColumn("experiment", "text")
    .addColumn("tolerance", "double precision", notNull)
    .addColumn("verdict", "text")
    .execute();
  await db.schema
    .createIndex("verifications_by_verified")
    .on("verifications")
    .column("verified_id")
    .execute();
}
