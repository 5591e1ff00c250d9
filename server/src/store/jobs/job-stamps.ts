import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { rowsQuery } from "#store/database/many-rows";
import type { FileStamps } from "#workflow/job/file-stamps";

/** Stores the stamps of the workspace after jobs. Must run in the transaction recording the ends. */
export async function insertJobStamps(
  db: Connection,
  stamped: readonly { readonly id: string; readonly stamps: FileStamps }[],
): Promise<void> {
  if (stamped.length === 0) return;
  const rows = stamped.map(({ id, stamps }) => ({ job_id: id, body: JSON.stringify(stamps) }));
  await insertRows(db, rows);
}

const COLUMNS = { job_id: "text", body: "text" } as const;

const insertRows = rowsQuery(COLUMNS, (db, given) =>
  db
    .insertInto("job_stamps")
    .columns(["job_id", "body"])
    .expression(sql`select job_id, body from ${given}`),
);

/** Returns the stamps of a run's jobs by job id. */
export async function jobStampsOf(db: Connection, runId: string): Promise<ReadonlyMap<string, FileStamps>> {
  const rows = await db
    .selectFrom("job_stamps")
    .innerJoin("jobs", "jobs.id", "job_stamps.job_id")
    .select(["job_stamps.job_id", "job_stamps.body"])
    .where("jobs.run_id", "=", runId)
    .execute();
  return new Map(rows.map((row) => [row.job_id, JSON.parse(row.body) as FileStamps]));
}

/** Deletes the stamps of a workspace after the removal of its files, because nothing is left to compare. */
export async function forgetJobStamps(db: Connection, workspaceId: string): Promise<void> {
  await db
    .deleteFrom("job_stamps")
    .where("job_id", "in", (query) =>
      query
        .selectFrom("jobs")
        .innerJoin("runs", "runs.id", "jobs.run_id")
        .select("jobs.id")
        .where("runs.workspace_id", "=", workspaceId),
    )
    .execute();
}
