import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { FileStamps } from "#workflow/file-stamps";

/** Stores the stamps of the workspace after a job. Call it in the transaction that records the job's end. */
export async function insertJobStamps(db: Connection, jobId: string, stamps: FileStamps): Promise<void> {
  await insertRow(db, { jobId, body: JSON.stringify(stamps) });
}

const insertRow = fixedQuery((db, { jobId, body }: { jobId: string; body: string }) =>
  db.insertInto("job_stamps").values({ job_id: jobId, body }),
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

/** Deletes the stamps of a workspace. Without its files there is nothing to compare them with. */
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
