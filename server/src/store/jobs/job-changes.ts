import { sql } from "kysely";
import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { rowsQuery } from "#store/database/many-rows";
import { together } from "#store/database/together";
import type { CountChange } from "#store/jobs/job-counts";
import { type JobEnd, OPEN_JOB_STATUSES, type RecordedJobStatus, succeeded } from "#workflow/job/job";

/** Backend, host and the backend's token that a job is about to be handed to. */
export interface Placement {
  readonly backend: string;
  readonly hostId: string | null;
  readonly hostToken: string;
  /** Set if the backend may queue the job. The job has no start before the backend reports one. */
  readonly queueReason: string | null;
}

/** Waiting jobs of a run, admitted to a backend. */
export interface Admission extends Placement {
  readonly ids: readonly string[];
  readonly atMs: number;
}

/** Marks waiting jobs as submitted. Ended jobs stay unchanged. */
export async function admitJobs(db: Connection, { ids, atMs, ...place }: Admission): Promise<CountChange> {
  const startedAtMs = maybeStartedAtMs(place.queueReason, atMs);
  const { rows: admitted } = await admitRows(db, rowsOfIds(ids), { ...place, startedAtMs });
  if (place.queueReason !== null) return {};
  const change = { created: -1, running: 1 };
  return { running: admitted.length, nodes: admitted.map(({ node }) => ({ node, change })) };
}

/** Returns when a submitted job starts. Null for a job that its backend may queue: it starts when the backend says so. */
export function maybeStartedAtMs(queueReason: string | null, submittedAtMs: number): number | null {
  return queueReason === null ? submittedAtMs : null;
}

function rowsOfIds(ids: readonly string[]) {
  return ids.map((id) => ({ id }));
}

const ID_COLUMNS = { id: "text" } as const;

const admitRows = rowsQuery(
  ID_COLUMNS,
  (db, given, admission: Placement & { readonly startedAtMs: number | null }) =>
    db
      .updateTable("jobs")
      .set({
        status: "running",
        backend: admission.backend,
        host_id: admission.hostId,
        host_token: admission.hostToken,
        queue_reason: admission.queueReason,
        started_at: admission.startedAtMs,
      })
      .where("id", "in", sql<string>`(select id from ${given})`)
      .where("status", "=", "created")
      .returning("node"),
);

/** Report of a backend about a job that has not ended. */
export interface JobNote {
  readonly id: string;
  /** Null if the job runs. */
  readonly queueReason: string | null;
  /** Null if nothing is wrong. */
  readonly concern: string | null;
  /** Null if not known: a job that leaves the queue has then started at the time of the report. */
  readonly startedAtMs: number | null;
  /** Null if not yet known. A recorded id is kept. */
  readonly outsideId: string | null;
}

/** Records a backend's report about a job. For an ended job, keeps only its name outside. */
export async function noteJob(db: Connection, note: JobNote, atMs: number): Promise<CountChange> {
  const [before] = (await submittedRow(db, note)).rows;
  await noteRow(db, { ...note, atMs });
  const isQueued = note.queueReason !== null;
  if (!before || isQueued === (before.queue_reason !== null)) return {};
  const running = isQueued ? -1 : 1;
  return { running, nodes: [{ node: before.node, change: { created: -running, running } }] };
}

const submittedRow = fixedQuery((db, { id }: Pick<JobNote, "id">) =>
  db.selectFrom("jobs").select(["node", "queue_reason"]).where("id", "=", id).where("status", "=", "running"),
);

const noteRow = fixedQuery((db, note: JobNote & { readonly atMs: number }) =>
  db
    .updateTable("jobs")
    .set({
      queue_reason: ifSubmitted(note.queueReason),
      concern: ifSubmitted(note.concern),
      started_at: startAfter(note),
      outside_id: sql`coalesce(outside_id, ${note.outsideId})`,
    })
    .where("id", "=", note.id),
);

function ifSubmitted(text: string | null) {
  return sql<string | null>`case when status = 'running' then ${text} else null end`;
}

/** A job in a queue has not started. */
function startAfter({ queueReason, startedAtMs, atMs }: JobNote & { readonly atMs: number }) {
  return sql<number | null>`case
    when status <> 'running' then started_at
    when cast(${queueReason} as text) is not null then null
    else coalesce(cast(${startedAtMs} as bigint), case when queue_reason is null then started_at else cast(${atMs} as bigint) end)
  end`;
}

/** The end of a job, for the job's row. */
export interface EndedJobRow {
  readonly id: string;
  readonly end: JobEnd;
  /** Number of the event with the end. */
  readonly seq: number;
}

/**
 * Records the ends of jobs of one run. Returns the ids of the jobs ended by this call. Jobs already ended
 * stay unchanged.
 */
export async function endJobs(
  db: Connection,
  ends: readonly EndedJobRow[],
): Promise<CountChange & { readonly ended: ReadonlySet<string> }> {
  if (ends.length === 0) return { ended: new Set() };
  const ids = ends.map(({ id }) => id);
  const [{ rows: open }] = await together([openAmong(db, rowsOfIds(ids)), endRows(db, ends.map(rowOfEnd))]);
  const before = new Map(open.map((row) => [row.id, row]));
  const ended = ends.filter(({ id }) => before.has(id));
  const statuses = ended.map(({ end }) => statusAfter(end));
  return {
    ended: new Set(before.keys()),
    running: -open.filter(({ counted }) => counted === "running").length,
    finished: statuses.filter((status) => status === "finished").length,
    failed: statuses.filter((status) => status === "failed").length,
    cpuMs: ended.reduce((sum, { end }) => sum + (end.usage?.cpuMs ?? 0), 0),
    nodes: ended.map(({ id }, index) => {
      const { node, counted } = before.get(id)!;
      return { node, change: { [counted]: -1, [statuses[index]!]: 1 } };
    }),
  };
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
  gpu_ms: "bigint",
  gpu_peak_bytes: "bigint",
  sampled: "text",
  ended_seq: "integer",
  image_digest: "text",
} as const;

function rowOfEnd({ id, end, seq }: EndedJobRow) {
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
    gpu_ms: end.usage?.gpuMs ?? null,
    gpu_peak_bytes: end.usage?.gpuPeakBytes ?? null,
    sampled: end.usage?.sampled?.join(" ") ?? null,
    ended_seq: seq,
    image_digest: end.imageDigest ?? null,
  };
}

/** The totals count a job in a queue as waiting. */
const COUNTED_AS = sql<
  "created" | "running"
>`case when queue_reason is null then status else 'created' end`.as("counted");

const openAmong = rowsQuery(ID_COLUMNS, (db, given) =>
  locked(
    db,
    db
      .selectFrom("jobs")
      .select(["id", "node", COUNTED_AS])
      .where("id", "in", sql<string>`(select id from ${given})`)
      .where("status", "in", [...OPEN_JOB_STATUSES]),
  ),
);

const endRows = rowsQuery(END_COLUMNS, (db, given) =>
  db
    .updateTable("jobs")
    .from(given as never)
    .set({
      status: sql`given.status`,
      reason: sql`given.reason`,
      exit_code: sql`given.exit_code`,
      detail: sql`given.detail`,
      image_digest: sql`given.image_digest`,
      finished_at: sql`given.finished_at`,
      cpu_ms: sql`given.cpu_ms`,
      peak_bytes: sql`given.peak_bytes`,
      gpu_ms: sql`given.gpu_ms`,
      gpu_peak_bytes: sql`given.gpu_peak_bytes`,
      sampled: sql`given.sampled`,
      ended_seq: sql`given.ended_seq`,
      queue_reason: null,
      concern: null,
      // The time of the submission is not a start.
      started_at: sql`case when given.reason = 'not-started' then given.started_at
        else coalesce(given.started_at, jobs.started_at) end`,
    })
    .where("jobs.id", "=", sql<string>`given.id`)
    .where("jobs.status", "in", [...OPEN_JOB_STATUSES]),
);

function statusAfter(end: JobEnd): RecordedJobStatus {
  if (succeeded(end)) return "finished";
  return end.reason === "cancelled" || end.reason === "not-started" ? "stopped" : "failed";
}
