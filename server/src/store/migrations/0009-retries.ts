import type { Kysely } from "kysely";

/** Stores the default number of retries for steps that do not set it. */
export async function retries(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workflow_definitions").addColumn("retries", "text").execute();
}
