import type { Kysely } from "kysely";

/** How often commands are tried again whose step does not say so. */
export async function retries(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workflow_definitions").addColumn("retries", "text").execute();
}
