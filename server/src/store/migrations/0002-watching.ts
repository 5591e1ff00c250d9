import { type Kysely, sql } from "kysely";

/** Adds what users see while they watch a run: resource use, the job that made the run fail, and the open jobs. */
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
  // Watchers of a run poll its open jobs, which are a few of perhaps a hundred thousand.
  await db.schema
    .createIndex("jobs_open")
    .on("jobs")
    .columns(["workflow_id", "ordinal"])
    .where(sql<boolean>`status in ('created', 'running')`)
    .execute();
  // They also poll the jobs that ended after an event number.
  await db.schema.createIndex("jobs_ended").on("jobs").columns(["workflow_id", "ended_seq"]).execute();
}
