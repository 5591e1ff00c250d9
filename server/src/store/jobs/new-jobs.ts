import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { rowsQuery } from "#store/database/many-rows";
import { together } from "#store/database/together";
import { maybeStartedAtMs } from "#store/jobs/job-changes";
import type { CountChange, NodeChange } from "#store/jobs/job-counts";
import type { JobRecord } from "#store/jobs/jobs";
import { type OPEN_JOB_STATUSES, TAKEN_OVER } from "#workflow/job/job";

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
  Partial<Pick<JobRecord, "decision" | "memoryLimitBytes" | "queueReason">> & {
    /** Null or absent if it is the name. */
    readonly label?: string | null;
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

/** Records the intent to run jobs of one run, before the backend is called. */
export async function insertJobs(db: Connection, jobs: readonly NewJob[]): Promise<CountChange> {
  if (jobs.length === 0) return {};
  const rows = jobs.map((job) => ({
    ...whatItIs(asRow(job)),
    status: job.status,
    host_id: job.hostId,
    host_token: job.hostToken,
    ...firstState(job),
  }));
  const [inserted, replaced] = await together([insertRows(db, rows), replacedBy(db, jobs)]);
  const ids = new Set(inserted.rows.map(({ id }) => id));
  // A key given to several of the jobs yields a single row.
  const known = jobs.find(({ id }) => !ids.delete(id));
  if (known) throw new KnownJobError(known);
  const running = jobs.filter((job) => countedAs(job) === "running").length;
  const changes = jobs.map((job) => ({ node: job.node, change: { [countedAs(job)]: 1 } }));
  return { running, nodes: [...changes, ...replaced] };
}

function firstState({ status, createdAtMs, queueReason = null }: NewJob) {
  if (status === "created") return { queue_reason: null, started_at: null };
  return { queue_reason: queueReason, started_at: maybeStartedAtMs(queueReason, createdAtMs) };
}

/** The totals count a job in the queue of its backend as waiting. */
function countedAs({ status, queueReason }: NewJob): NewJob["status"] {
  return queueReason === null || queueReason === undefined ? status : "created";
}

/** Returns how the totals of nodes change because some attempts replace earlier ones. */
async function replacedBy(db: Connection, jobs: readonly NewJob[]): Promise<NodeChange[]> {
  const again = jobs.filter(({ attempt }) => attempt > 1);
  if (again.length === 0) return [];
  const rows = again.map(({ key, attempt }) => ({ key, attempt: attempt - 1 }));
  const replaced = await statusesOfAttempts(db, rows, { runId: again[0]!.runId });
  return replaced.rows.map(({ node, status }) => ({ node, change: { [status]: -1, retried: 1 } }));
}

const ATTEMPT_COLUMNS = { key: "text", attempt: "integer" } as const;

const statusesOfAttempts = rowsQuery(ATTEMPT_COLUMNS, (db, given, { runId }: { readonly runId: string }) =>
  db
    .selectFrom("jobs")
    .select(["node", "status"])
    .where("run_id", "=", runId)
    .where(sql<boolean>`(key, attempt) in (select key, attempt from ${given})`),
);

export type TakenJob = Omit<NewJob, "hostId" | "hostToken" | "queueReason" | "status"> & {
  readonly takenFrom: string;
  /** The reason, as a sentence. */
  readonly detail: string | null;
  /** Number of the event that caused the takeover. */
  readonly endedSeq: number;
};

/** Inserts a job as finished, without running it, because an earlier run's job has done the work. */
export async function insertTakenJob(db: Connection, job: TakenJob): Promise<CountChange> {
  const { numAffectedRows } = await insertTakenRow(db, asRow(job));
  if (numAffectedRows !== 1n) throw new KnownJobError(job);
  return { finished: 1, nodes: [{ node: job.node, change: { takenOver: 1 } }] };
}

/** A job in the form of a row. */
type AsRow<Job> = Omit<Job, "decision"> & { readonly decision: string | null };

function asRow<Job extends Partial<Pick<JobRecord, "decision">>>(job: Job): AsRow<Job> {
  return { ...job, decision: job.decision ? JSON.stringify(job.decision) : null };
}

function whatItIs(job: AsRow<Omit<NewJob, "hostId" | "hostToken" | "queueReason" | "status">>) {
  return {
    id: job.id,
    run_id: job.runId,
    ordinal: job.ordinal,
    key: job.key,
    attempt: job.attempt,
    name: job.name,
    label: job.label ?? null,
    node: job.node,
    command: job.command,
    image: job.image,
    backend: job.backend,
    created_at: job.createdAtMs,
    decision: job.decision,
    memory_limit_bytes: job.memoryLimitBytes ?? null,
  };
}

const insertTakenRow = fixedQuery((db, job: AsRow<TakenJob>) =>
  db
    .insertInto("jobs")
    .values({
      ...whatItIs(job),
      // The log and the image come from the job that did the work, if its row still exists.
      backend: sql<string>`coalesce((select backend from jobs where id = ${job.takenFrom}), ${job.backend})`,
      image_digest: sql<string | null>`(select image_digest from jobs where id = ${job.takenFrom})`,
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
  label: "text",
  node: "text",
  command: "text",
  image: "text",
  backend: "text",
  created_at: "bigint",
  decision: "text",
  memory_limit_bytes: "bigint",
  status: "text",
  host_id: "text",
  host_token: "text",
  queue_reason: "text",
  started_at: "bigint",
} as const;
const NEW_NAMES = Object.keys(NEW_COLUMNS) as (keyof typeof NEW_COLUMNS)[];

const insertRows = rowsQuery(NEW_COLUMNS, (db, given) =>
  db
    .insertInto("jobs")
    .columns(NEW_NAMES)
    // SQLite needs a condition here: without one it parses `on conflict` as the `on` of a join.
    .expression(sql`select ${sql.join(NEW_NAMES.map((name) => sql.ref(name)))} from ${given} where true`)
    // The id is derived from the key: both conflict, or neither does.
    .onConflict((conflict) => conflict.doNothing())
    .returning("id"),
);
