import type { Connection } from "#store/database";
import { fixedQuery } from "#store/fixed-query";
import type { Trace } from "#workflow/trace";

/** What was seen in the workspace when a job had ended. In the transaction that records the end. */
export async function insertJobTrace(db: Connection, jobId: string, trace: Trace): Promise<void> {
  await insertRow(db, { jobId, body: JSON.stringify(trace) });
}

const insertRow = fixedQuery((db, { jobId, body }: { jobId: string; body: string }) =>
  db.insertInto("job_traces").values({ job_id: jobId, body }),
);

/** By the ids of the jobs. */
export async function jobTracesOf(db: Connection, workflowId: string): Promise<ReadonlyMap<string, Trace>> {
  const rows = await db
    .selectFrom("job_traces")
    .innerJoin("jobs", "jobs.id", "job_traces.job_id")
    .select(["job_traces.job_id", "job_traces.body"])
    .where("jobs.workflow_id", "=", workflowId)
    .execute();
  return new Map(rows.map((row) => [row.job_id, JSON.parse(row.body) as Trace]));
}

/** Once the files are gone there is nothing left to compare. */
export async function forgetJobTraces(db: Connection, workspaceId: string): Promise<void> {
  await db
    .deleteFrom("job_traces")
    .where("job_id", "in", (query) =>
      query
        .selectFrom("jobs")
        .innerJoin("workflows", "workflows.id", "jobs.workflow_id")
        .select("jobs.id")
        .where("workflows.workspace_id", "=", workspaceId),
    )
    .execute();
}
