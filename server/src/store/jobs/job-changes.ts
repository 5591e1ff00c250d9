import { sql } from "kysely";
import { locked } from "#store/database/adapter";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { rowsQuery } from "#store/database/many-rows";
import { together } from "#store/database/together";
import type { CountChange } from "#store/jobs/job-counts";
import { type JobEnd, type JobStatus, OPEN_JOB_STATUSES, succeeded } from "#workflow/job/job";

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

/** Marks waiting jobs as running. Ended jobs stay unchanged. */
export async function admitJobs(db: Connection, { ids, atMs, ...place }: Admission): Promise<CountChange> {
  const startedAtMs = maybeStartedAtMs(place.queueReason, atMs);
  const { rows: admitted } = await admitRows(db, rowsOfIds(ids), { ...place, startedAtMs });
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
  /** Null if not yet known. A recorded id is kept. */
  readonly outsideId: string | null;
}

/** Records a backend's report about a job, and its start. For an ended job, keeps only its name outside. */
export async function noteJob(db: Connection, note: JobNote, atMs: number): Promise<void> {
  await noteRow(db, { ...note, startedAtMs: maybeStartedAtMs(note.queueReason, atMs) });
}

const noteRow = fixedQuery((db, note: JobNote & { readonly startedAtMs: number | null }) =>
  db
    .updateTable("jobs")
    .set({
      queue_reason: sql`case when status = 'running' then ${note.queueReason} else null end`,
      started_at: sql`case when status = 'running' then coalesce(started_at, ${note.startedAtMs}) else started_at end`,
      outside_id: sql`coalesce(outside_id, ${note.outsideId})`,
    })
    .where("id", "=", note.id),
);

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
    running: -open.filter(({ status }) => status === "running").length,
    finished: statuses.filter((status) => status === "finished").length,
    failed: statuses.filter((status) => status === "failed").length,
    cpuMs: ended.reduce((sum, { end }) => sum + (end.usage?.cpuMs ?? 0), 0),
    nodes: ended.map(({ id }, index) => {
      const { node, status } = before.get(id)!;
      return { node, change: { [status]: -1, [statuses[index]!]: 1 } };
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
    sampled: end.usage?.sampled?.join(" ") ?? null,
    ended_seq: seq,
    image_digest: end.imageDigest ?? null,
  };
}

const openAmong = rowsQuery(ID_COLUMNS, (db, given) =>
  locked(
    db,
    db
      .selectFrom("jobs")
      .select(["id", "node", "status"])
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
      sampled: sql`given.sampled`,
      ended_seq: sql`given.ended_seq`,
      queue_reason: null,
      // The time of the submission is not a start.
      started_at: sql`case when given.reason = 'not-started' then given.started_at
        else coalesce(given.started_at, jobs.started_at) end`,
    })
    .where("jobs.id", "=", sql<string>`given.id`)
    .where("jobs.status", "in", [...OPEN_JOB_STATUSES]),
);

function statusAfter(end: JobEnd): JobStatus {
  if (succeeded(end)) return "finished";
  return end.reason === "cancelled" || end.reason === "not-started" ? "stopped" : "failed";
}
