import type { Kysely } from "kysely";

/** Stores when a user first changed files of the workspace while the run was live. */
export async function disturbedRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workflows").addColumn("disturbed_at", "bigint").execute();
}
