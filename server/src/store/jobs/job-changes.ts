import { sql } from "kysely";
import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import type { JobRecord } from "#store/jobs/jobs";
import { countNode } from "#store/jobs/run-nodes";
import type { NodeCounts } from "#workflow/graph";
import {
  isOpenJob,
  type JobEnd,
  type JobStatus,
  type OPEN_JOB_STATUSES,
  succeeded,
  TAKEN_OVER,
} from "#workflow/job";

export type NewJob = Pick<
  JobRecord,
  | "id"
  | "runId"
  | "ordinal"
  | "key"
  | "attempt"
  | "name"
  | "node"
  | "command"
  | "image"
  | "backend"
  | "hostId"
  | "bootId"
  | "createdAtMs"
> & {
  /** `created`: the job waits for capacity, and no backend has seen it. */
  readonly status: (typeof OPEN_JOB_STATUSES)[number];
};

/** Thrown if a run already has a job with that key: an engine must issue each key once. */
export class KnownJobError extends Error {
  readonly key: string;

  constructor(job: Pick<NewJob, "key" | "runId">) {
    super(`The run ${job.runId} already has a job "${job.key}".`);
    this.name = "KnownJobError";
    this.key = job.key;
  }
}

/** Records the intent to run a job, before the backend is called. Updates the counters of the run and its node. */
export async function insertJob(db: Connection, job: NewJob): Promise<void> {
  const isRunning = job.status === "running";
  const { numAffectedRows } = await insertRow(db, {
    ...job,
    startedAtMs: isRunning ? job.createdAtMs : null,
  });
  if (numAffectedRows !== 1n) throw new KnownJobError(job);
  if (isRunning) await moveCounters(db, { ...NO_MOVE, runId: job.runId, running: 1 });
  await countNode(db, job, { [job.status]: 1, ...(await replacedBy(db, job)) });
}

/** Returns how a node's totals change because this attempt replaces the one before it. */
async function replacedBy(db: Connection, job: NewJob): Promise<Partial<NodeCounts>> {
  if (job.attempt === 1) return {};
  const before = { runId: job.runId, key: job.key, attempt: job.attempt - 1 };
  const status = (await statusOfAttempt(db, before)).rows[0]?.status;
  return status === undefined ? {} : { [status]: -1, retried: 1 };
}

const statusOfAttempt = fixedQuery((db, { runId, key, attempt }: Pick<NewJob, "runId" | "key" | "attempt">) =>
  db
    .selectFrom("jobs")
    .select("status")
    .where("run_id", "=", runId)
    .where("key", "=", key)
    .where("attempt", "=", attempt),
);

export type TakenJob = Omit<NewJob, "hostId" | "bootId" | "status"> & {
  readonly takenFrom: string;
  /** The reason, as a sentence. */
  readonly detail: string;
  /** Number of the event that caused it. */
  readonly endedSeq: number;
};

/** Inserts a job that is not run: an earlier run's job has done its work, so it starts as finished. */
export async function insertTakenJob(db: Connection, job: TakenJob): Promise<void> {
  const { numAffectedRows } = await insertTakenRow(db, job);
  if (numAffectedRows !== 1n) throw new KnownJobError(job);
  await moveCounters(db, { ...NO_MOVE, runId: job.runId, finished: 1 });
  await countNode(db, job, { takenOver: 1 });
}

function whatItIs(job: Omit<NewJob, "hostId" | "bootId" | "status">) {
  return {
    id: job.id,
    run_id: job.runId,
    ordinal: job.ordinal,
    key: job.key,
    attempt: job.attempt,
    name: job.name,
    node: job.node,
    command: job.command,
    image: job.image,
    backend: job.backend,
    created_at: job.createdAtMs,
  };
}

const insertTakenRow = fixedQuery((db, job: TakenJob) =>
  db
    .insertInto("jobs")
    .values({
      ...whatItIs(job),
      // Where the log is: with the job that did the work, if its row is still there.
      backend: sql<string>`coalesce((select backend from jobs where id = ${job.takenFrom}), ${job.backend})`,
      status: "finished",
      reason: TAKEN_OVER,
      detail: job.detail,
      boot_id: "",
      taken_from: job.takenFrom,
      ended_seq: job.endedSeq,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

const insertRow = fixedQuery((db, job: NewJob & { readonly startedAtMs: number | null }) =>
  db
    .insertInto("jobs")
    .values({
      ...whatItIs(job),
      status: job.status,
      host_id: job.hostId,
      boot_id: job.bootId,
      started_at: job.startedAtMs,
    })
    // The id is derived from the key: both conflict, or neither does.
    .onConflict((conflict) => conflict.doNothing()),
);

/** Backend, host and boot that a job is about to be handed to. */
export interface Placement {
  readonly backend: string;
  readonly hostId: string | null;
  readonly bootId: string;
}

/** Marks waiting jobs as running when they get their place. Jobs that have ended in between stay as they are. */
export async function admitJobs(
  db: Connection,
  ids: readonly string[],
  admission: Placement & { readonly atMs: number },
): Promise<void> {
  for (const id of ids) {
    const { rows } = await admitRow(db, { ...admission, id });
    if (!rows[0]) continue;
    const { run_id: runId, node } = rows[0];
    await moveCounters(db, { ...NO_MOVE, runId, running: 1 });
    await countNode(db, { runId, node }, { created: -1, running: 1 });
  }
}

const admitRow = fixedQuery((db, job: Placement & { readonly id: string; readonly atMs: number }) =>
  db
    .updateTable("jobs")
    .set({
      status: "running",
      backend: job.backend,
      host_id: job.hostId,
      boot_id: job.bootId,
      started_at: job.atMs,
    })
    .where("id", "=", job.id)
    .where("status", "=", "created")
    .returning(["run_id", "node"]),
);

/**
 * Records the end of a job; `seq` is the number of the event with the end. Returns false, without a change, if it had
 * ended already.
 */
export async function endJob(db: Connection, id: string, end: JobEnd, seq: number): Promise<boolean> {
  const before = (await statusOfJob(db, { id })).rows[0]?.status;
  if (before === undefined || !isOpenJob(before)) return false;
  const status = statusAfter(end);
  const { rows } = await endRow(db, {
    id,
    before,
    status,
    reason: end.reason,
    exitCode: end.exitCode,
    detail: end.detail ?? null,
    startedAtMs: end.startedAtMs,
    endedAtMs: end.endedAtMs,
    cpuMs: end.usage?.cpuMs ?? null,
    peakBytes: end.usage?.peakBytes ?? null,
    seq,
  });
  if (!rows[0]) return false;
  const { run_id: runId, node } = rows[0];
  await countNode(db, { runId, node }, { [before]: -1, [status]: 1 });
  await moveCounters(db, {
    runId,
    running: before === "running" ? -1 : 0,
    finished: status === "finished" ? 1 : 0,
    failed: status === "failed" ? 1 : 0,
    cpuMs: end.usage?.cpuMs ?? 0,
  });
  return true;
}

const statusOfJob = fixedQuery((db, { id }: { id: string }) =>
  locked(db, db.selectFrom("jobs").select("status").where("id", "=", id)),
);

interface JobEndRow {
  readonly id: string;
  readonly before: JobStatus;
  readonly status: JobStatus;
  readonly reason: string;
  readonly exitCode: number | null;
  readonly detail: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number;
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
  readonly seq: number;
}

const endRow = fixedQuery((db, row: JobEndRow) =>
  db
    .updateTable("jobs")
    .set({
      status: row.status,
      reason: row.reason,
      exit_code: row.exitCode,
      detail: row.detail,
      finished_at: row.endedAtMs,
      cpu_ms: row.cpuMs,
      peak_bytes: row.peakBytes,
      ended_seq: row.seq,
      started_at: sql`coalesce(${row.startedAtMs}, started_at)`,
    })
    .where("id", "=", row.id)
    .where("status", "=", row.before)
    .returning(["run_id", "node"]),
);

function statusAfter(end: JobEnd): JobStatus {
  if (succeeded(end)) return "finished";
  return end.reason === "cancelled" || end.reason === "not-started" ? "stopped" : "failed";
}

interface CounterMove {
  readonly runId: string;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
  readonly cpuMs: number;
}

const NO_MOVE = { running: 0, finished: 0, failed: 0, cpuMs: 0 };

const moveCounters = fixedQuery((db, { runId, running, finished, failed, cpuMs }: CounterMove) =>
  db
    .updateTable("runs")
    .set((column) => ({
      jobs_running: column("jobs_running", "+", running),
      jobs_finished: column("jobs_finished", "+", finished),
      jobs_failed: column("jobs_failed", "+", failed),
      cpu_ms: column("cpu_ms", "+", cpuMs),
    }))
    .where("id", "=", runId),
);
