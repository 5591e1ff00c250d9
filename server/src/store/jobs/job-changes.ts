import { sql } from "kysely";
import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { givenRows, manyRows } from "#store/database/many-rows";
import type { JobRecord } from "#store/jobs/jobs";
import { countNodes } from "#store/jobs/run-nodes";
import type { NodeCounts } from "#workflow/graph";
import { type JobEnd, type JobStatus, OPEN_JOB_STATUSES, succeeded, TAKEN_OVER } from "#workflow/job";

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
  | "hostToken"
  | "createdAtMs"
> &
  Partial<Pick<JobRecord, "decision">> & {
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

/**
 * Records the intent to run jobs of one run, before the backend is called. Updates the counters of the run and of its
 * nodes.
 */
export async function insertJobs(db: Connection, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job) => ({
    ...whatItIs(asRow(job)),
    status: job.status,
    host_id: job.hostId,
    host_token: job.hostToken,
    started_at: job.status === "running" ? job.createdAtMs : null,
  }));
  const inserted = await insertRows(db, { rows: manyRows(db, NEW_COLUMNS, rows) });
  const ids = new Set(inserted.rows.map(({ id }) => id));
  // A key that was issued twice among these jobs gives one row.
  const known = jobs.find(({ id }) => !ids.delete(id));
  if (known) throw new KnownJobError(known);
  const { runId } = jobs[0]!;
  const running = jobs.filter(({ status }) => status === "running").length;
  if (running > 0) await moveCounters(db, { ...NO_MOVE, runId, running });
  const changes = jobs.map(({ node, status }) => ({ node, change: { [status]: 1 } }));
  await countNodes(db, runId, [...changes, ...(await replacedBy(db, jobs))]);
}

/** Returns how the totals of nodes change because some attempts replace earlier ones. */
async function replacedBy(db: Connection, jobs: readonly NewJob[]) {
  const changes: { readonly node: string; readonly change: Partial<NodeCounts> }[] = [];
  for (const { runId, key, attempt, node } of jobs.filter((job) => job.attempt > 1)) {
    const { rows } = await statusOfAttempt(db, { runId, key, attempt: attempt - 1 });
    if (rows[0]) changes.push({ node, change: { [rows[0].status]: -1, retried: 1 } });
  }
  return changes;
}

const statusOfAttempt = fixedQuery((db, { runId, key, attempt }: Pick<NewJob, "runId" | "key" | "attempt">) =>
  db
    .selectFrom("jobs")
    .select("status")
    .where("run_id", "=", runId)
    .where("key", "=", key)
    .where("attempt", "=", attempt),
);

export type TakenJob = Omit<NewJob, "hostId" | "hostToken" | "status"> & {
  readonly takenFrom: string;
  /** The reason, as a sentence. */
  readonly detail: string | null;
  /** Number of the event that caused it. */
  readonly endedSeq: number;
};

/** Inserts a job that is not run: an earlier run's job has done its work, so it starts as finished. */
export async function insertTakenJob(db: Connection, job: TakenJob): Promise<void> {
  const { numAffectedRows } = await insertTakenRow(db, asRow(job));
  if (numAffectedRows !== 1n) throw new KnownJobError(job);
  await moveCounters(db, { ...NO_MOVE, runId: job.runId, finished: 1 });
  await countNodes(db, job.runId, [{ node: job.node, change: { takenOver: 1 } }]);
}

/** A job as its row holds it. */
type AsRow<Job> = Omit<Job, "decision"> & { readonly decision: string | null };

function asRow<Job extends Partial<Pick<JobRecord, "decision">>>(job: Job): AsRow<Job> {
  return { ...job, decision: job.decision ? JSON.stringify(job.decision) : null };
}

function whatItIs(job: AsRow<Omit<NewJob, "hostId" | "hostToken" | "status">>) {
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
    decision: job.decision,
  };
}

const insertTakenRow = fixedQuery((db, job: AsRow<TakenJob>) =>
  db
    .insertInto("jobs")
    .values({
      ...whatItIs(job),
      // Where the log is: with the job that did the work, if its row is still there.
      backend: sql<string>`coalesce((select backend from jobs where id = ${job.takenFrom}), ${job.backend})`,
      status: "finished",
      reason: TAKEN_OVER,
      detail: job.detail,
      host_token: "",
      taken_from: job.takenFrom,
      ended_seq: job.endedSeq,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

const NEW_COLUMNS = {
  id: "text",
  run_id: "text",
  ordinal: "integer",
  key: "text",
  attempt: "integer",
  name: "text",
  node: "text",
  command: "text",
  image: "text",
  backend: "text",
  created_at: "bigint",
  decision: "text",
  status: "text",
  host_id: "text",
  host_token: "text",
  started_at: "bigint",
} as const;
const NEW_NAMES = Object.keys(NEW_COLUMNS) as (keyof typeof NEW_COLUMNS)[];

const insertRows = fixedQuery((db, { rows }: { rows: string }) =>
  db
    .insertInto("jobs")
    .columns(NEW_NAMES)
    // Without a condition, SQLite takes what follows for one of a join.
    .expression(
      sql`select ${sql.join(NEW_NAMES.map((name) => sql.ref(name)))} from ${givenRows(db, NEW_COLUMNS, rows)} where true`,
    )
    // The id is derived from the key: both conflict, or neither does.
    .onConflict((conflict) => conflict.doNothing())
    .returning("id"),
);

/** Backend, host and the backend's token that a job is about to be handed to. */
export interface Placement {
  readonly backend: string;
  readonly hostId: string | null;
  readonly hostToken: string;
}

/** Marks waiting jobs of one run as running when they get their place. Jobs that have ended meanwhile stay as they are. */
export async function admitJobs(
  db: Connection,
  ids: readonly string[],
  admission: Placement & { readonly atMs: number },
): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map((id) => ({ id }));
  const { rows: admitted } = await admitRows(db, { ...admission, rows: manyRows(db, ID_COLUMNS, rows) });
  if (admitted.length === 0) return;
  const runId = admitted[0]!.run_id;
  await moveCounters(db, { ...NO_MOVE, runId, running: admitted.length });
  const change = { created: -1, running: 1 };
  await countNodes(
    db,
    runId,
    admitted.map(({ node }) => ({ node, change })),
  );
}

const ID_COLUMNS = { id: "text" } as const;

const admitRows = fixedQuery((db, given: Placement & { readonly rows: string; readonly atMs: number }) =>
  db
    .updateTable("jobs")
    .set({
      status: "running",
      backend: given.backend,
      host_id: given.hostId,
      host_token: given.hostToken,
      started_at: given.atMs,
    })
    .where("id", "in", sql<string>`(select id from ${givenRows(db, ID_COLUMNS, given.rows)})`)
    .where("status", "=", "created")
    .returning(["run_id", "node"]),
);

/** What a backend has reported of a job that has not ended. */
export interface JobNote {
  readonly id: string;
  /** Null: the job runs. */
  readonly queueReason: string | null;
  /** Null: not known yet. One that was recorded stays. */
  readonly outsideId: string | null;
}

/** Records what a backend has reported of a job. A job that has ended keeps only its name outside. */
export async function noteJob(db: Connection, note: JobNote): Promise<void> {
  await noteRow(db, note);
}

const noteRow = fixedQuery((db, note: JobNote) =>
  db
    .updateTable("jobs")
    .set({
      queue_reason: sql`case when status = 'running' then ${note.queueReason} else null end`,
      outside_id: sql`coalesce(outside_id, ${note.outsideId})`,
    })
    .where("id", "=", note.id),
);

export interface EndOfJob {
  readonly id: string;
  readonly end: JobEnd;
  /** Number of the event with the end. */
  readonly seq: number;
}

/**
 * Records the ends of jobs of one run. Returns the ids of those that had not ended before. The others stay as they are.
 */
export async function endJobs(db: Connection, ends: readonly EndOfJob[]): Promise<ReadonlySet<string>> {
  if (ends.length === 0) return new Set();
  const rows = manyRows(db, END_COLUMNS, ends.map(rowOfEnd));
  const { rows: open } = await openAmong(db, { rows });
  if (open.length === 0) return new Set();
  await endRows(db, { rows });
  const before = new Map(open.map((row) => [row.id, row]));
  const ended = ends.filter(({ id }) => before.has(id));
  const statuses = ended.map(({ end }) => statusAfter(end));
  const runId = open[0]!.run_id;
  await countNodes(
    db,
    runId,
    ended.map(({ id }, index) => {
      const { node, status } = before.get(id)!;
      return { node, change: { [status]: -1, [statuses[index]!]: 1 } };
    }),
  );
  await moveCounters(db, {
    runId,
    running: -open.filter(({ status }) => status === "running").length,
    finished: statuses.filter((status) => status === "finished").length,
    failed: statuses.filter((status) => status === "failed").length,
    cpuMs: ended.reduce((sum, { end }) => sum + (end.usage?.cpuMs ?? 0), 0),
  });
  return new Set(before.keys());
}

const END_COLUMNS = {
  id: "text",
  status: "text",
  reason: "text",
  exit_code: "integer",
  detail: "text",
  started_at: "bigint",
  finished_at: "bigint",
  cpu_ms: "bigint",
  peak_bytes: "bigint",
  ended_seq: "integer",
  image_digest: "text",
} as const;

function rowOfEnd({ id, end, seq }: EndOfJob) {
  return {
    id,
    status: statusAfter(end),
    reason: end.reason,
    exit_code: end.exitCode,
    detail: end.detail ?? null,
    started_at: end.startedAtMs,
    finished_at: end.endedAtMs,
    cpu_ms: end.usage?.cpuMs ?? null,
    peak_bytes: end.usage?.peakBytes ?? null,
    ended_seq: seq,
    image_digest: end.imageDigest ?? null,
  };
}

const openAmong = fixedQuery((db, { rows }: { rows: string }) =>
  locked(
    db,
    db
      .selectFrom("jobs")
      .select(["id", "run_id", "node", "status"])
      .where("id", "in", sql<string>`(select id from ${givenRows(db, END_COLUMNS, rows)})`)
      .where("status", "in", [...OPEN_JOB_STATUSES]),
  ),
);

const endRows = fixedQuery((db, { rows }: { rows: string }) =>
  db
    .updateTable("jobs")
    .from(givenRows(db, END_COLUMNS, rows) as never)
    .set({
      status: sql`given.status`,
      reason: sql`given.reason`,
      exit_code: sql`given.exit_code`,
      detail: sql`given.detail`,
      image_digest: sql`given.image_digest`,
      finished_at: sql`given.finished_at`,
      cpu_ms: sql`given.cpu_ms`,
      peak_bytes: sql`given.peak_bytes`,
      ended_seq: sql`given.ended_seq`,
      queue_reason: null,
      started_at: sql`coalesce(given.started_at, jobs.started_at)`,
    })
    .where("jobs.id", "=", sql<string>`given.id`)
    .where("jobs.status", "in", [...OPEN_JOB_STATUSES]),
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
