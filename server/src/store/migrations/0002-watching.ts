import { type Kysely, sql } from "kysely";

/** What people see of a run while they watch it: what its jobs have used, which of them made it fail, which are open. */
export async function watching(db: Kysely<unknown>): Promise<void> {
  for (const name of ["cpu_ms", "peak_bytes"] as const) {
    await db.schema.alterTable("jobs").addColumn(name, "bigint").execute();
  }
  await db.schema.alterTable("jobs").addColumn("ended_seq", "integer").execute();
  await db.schema
    .alterTable("workflows")
    .addColumn("cpu_ms", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("workflows").addColumn("failed_job", "text").execute();
  // Whoever watches a run asks again and again which of its jobs have no end yet: a few of maybe a hundred thousand.
  await db.schema
    .createIndex("jobs_open")
    .on("jobs")
    .columns(["workflow_id", "ordinal"])
    .where(sql<boolean>`status in ('created', 'running')`)
    .execute();
  // And which have ended since a number of the run's history.
  await db.schema.createIndex("jobs_ended").on("jobs").columns(["workflow_id", "ended_seq"]).execute();
}
