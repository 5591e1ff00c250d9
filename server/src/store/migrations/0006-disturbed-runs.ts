import type { Kysely } from "kysely";

/** When somebody first changed files of the workspace while the run went on. */
export async function disturbedRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workflows").addColumn("disturbed_at", "bigint").execute();
}
