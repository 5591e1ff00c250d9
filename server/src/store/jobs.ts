import type { Selectable } from "kysely";
import type { Connection } from "#store/database";
import type { Tables } from "#store/tables";
import { type JobEnd, type JobStatus, succeeded } from "#workflow/job";

/** A job as it is kept and shown. */
export interface JobRecord {
  readonly id: string;
  readonly workflowId: string;
  readonly ordinal: number;
  readonly key: string;
  readonly attempt: number;
  readonly name: string;
  readonly command: string;
  readonly image: string | null;
  readonly backend: string;
  readonly status: JobStatus;
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly detail: string | null;
  readonly bootId: string;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
}

export type NewJob = Pick<
  JobRecord,
  | "id"
  | "workflowId"
  | "ordinal"
  | "key"
  | "attempt"
  | "name"
  | "command"
  | "image"
  | "backend"
  | "bootId"
  | "createdAtMs"
>;

/** The intent to run a job: written before anything is asked of a backend. The run's counters move with it. */
export async function insertJob(db: Connection, job: NewJob): Promise<void> {
  await db
    .insertInto("jobs")
    .values({
      id: job.id,
      workflow_id: job.workflowId,
      ordinal: job.ordinal,
      key: job.key,
      attempt: job.attempt,
      name: job.name,
      command: job.command,
      image: job.image,
      backend: job.backend,
      status: "running",
      boot_id: job.bootId,
      created_at: job.createdAtMs,
      started_at: job.createdAtMs,
    })
    .execute();
  await moveCounters(db, job.workflowId, { jobs_running: 1 });
}

/** Answers false when the job had ended already: then nothing changes. */
export async function endJob(db: Connection, id: string, end: JobEnd): Promise<boolean> {
  const status = statusAfter(end);
  const row = await db
    .updateTable("jobs")
    .set({
      status,
      reason: end.reason,
      exit_code: end.exitCode,
      detail: end.detail ?? null,
      finished_at: end.endedAtMs,
      ...(end.startedAtMs === null ? {} : { started_at: end.startedAtMs }),
    })
    .where("id", "=", id)
    .where("status", "=", "running")
    .returning("workflow_id")
    .executeTakeFirst();
  if (!row) return false;
  await moveCounters(db, row.workflow_id, {
    jobs_running: -1,
    ...(status === "finished" && { jobs_finished: 1 }),
    ...(status === "failed" && { jobs_failed: 1 }),
  });
  return true;
}

function statusAfter(end: JobEnd): JobStatus {
  if (succeeded(end)) return "finished";
  return end.reason === "cancelled" || end.reason === "not-started" ? "stopped" : "failed";
}

type Counter = "jobs_running" | "jobs_finished" | "jobs_failed";

async function moveCounters(
  db: Connection,
  workflowId: string,
  changes: Readonly<Partial<Record<Counter, number>>>,
): Promise<void> {
  const columns = Object.entries(changes) as [Counter, number][];
  await db
    .updateTable("workflows")
    .set((expression) =>
      Object.fromEntries(columns.map(([column, change]) => [column, expression(column, "+", change)])),
    )
    .where("id", "=", workflowId)
    .execute();
}

export async function jobsOfWorkflow(db: Connection, workflowId: string): Promise<JobRecord[]> {
  return jobsOfWorkflows(db, [workflowId]);
}

/** In the order of submission within each workflow. */
export async function jobsOfWorkflows(db: Connection, workflowIds: readonly string[]): Promise<JobRecord[]> {
  if (workflowIds.length === 0) return [];
  const rows = await db
    .selectFrom("jobs")
    .selectAll()
    .where("workflow_id", "in", [...workflowIds])
    .orderBy("workflow_id")
    .orderBy("ordinal")
    .execute();
  return rows.map(toJob);
}

/** Those that have no end yet, in the order of submission. */
export async function runningJobs(db: Connection, workflowId: string): Promise<JobRecord[]> {
  const rows = await db
    .selectFrom("jobs")
    .selectAll()
    .where("workflow_id", "=", workflowId)
    .where("status", "=", "running")
    .orderBy("ordinal")
    .execute();
  return rows.map(toJob);
}

/** The keys of a run's jobs from that one on, in the order in which they were submitted. */
export async function jobKeysFrom(db: Connection, workflowId: string, ordinal: number): Promise<string[]> {
  const rows = await db
    .selectFrom("jobs")
    .select("key")
    .where("workflow_id", "=", workflowId)
    .where("ordinal", ">=", ordinal)
    .orderBy("ordinal")
    .execute();
  return rows.map((row) => row.key);
}

export async function jobIdsOfWorkflow(db: Connection, workflowId: string): Promise<string[]> {
  const rows = await db.selectFrom("jobs").select("id").where("workflow_id", "=", workflowId).execute();
  return rows.map((row) => row.id);
}

/** The jobs of every run that shares the workspace. */
export async function jobIdsOfWorkspace(db: Connection, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("jobs")
    .innerJoin("workflows", "workflows.id", "jobs.workflow_id")
    .select("jobs.id")
    .where("workflows.workspace_id", "=", workspaceId)
    .execute();
  return rows.map((row) => row.id);
}

function toJob(row: Selectable<Tables["jobs"]>): JobRecord {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    ordinal: row.ordinal,
    key: row.key,
    attempt: row.attempt,
    name: row.name,
    command: row.command,
    image: row.image,
    backend: row.backend,
    status: row.status,
    reason: row.reason,
    exitCode: row.exit_code,
    detail: row.detail,
    bootId: row.boot_id,
    createdAtMs: row.created_at,
    startedAtMs: row.started_at,
    finishedAtMs: row.finished_at,
  };
}
