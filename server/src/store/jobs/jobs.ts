import { setImmediate } from "node:timers/promises";
import type { Selectable } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { liveRunCondition, openJobCondition, shownStatusIs } from "#store/database/status-in";
import { nodeCounts } from "#store/jobs/run-nodes";
import type { Tables } from "#store/database/tables";
import type { Decision } from "#workflow/job/decision";
import { jobsIn } from "#workflow/graph";
import { type JobStatus, OPEN_JOB_STATUSES, SAMPLED_VALUES, type SampledValue } from "#workflow/job/job";

/** A job as stored and shown. */
export interface JobRecord {
  readonly id: string;
  readonly runId: string;
  readonly ordinal: number;
  readonly key: string;
  readonly attempt: number;
  readonly name: string;
  /** Name to tell the job from other jobs of the step, such as `fit · task 7 (s07.txt)`. */
  readonly label: string;
  /** Id of the node of the run's graph. */
  readonly node: string;
  readonly command: string;
  readonly image: string | null;
  /** Digest of the job's image. Null without an image, or before the end. */
  readonly imageDigest: string | null;
  readonly backend: string;
  readonly status: JobStatus;
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly detail: string | null;
  /** The only host on which the job can be observed. Null if the backend is not bound to one. */
  readonly hostId: string | null;
  /** The token of the backend when the intent to submit was recorded. */
  readonly hostToken: string;
  /** The name of the job in the place of its execution, once reported by the backend. */
  readonly outsideId: string | null;
  /** Reason why a submitted job still waits in the queue of its backend. Null once it runs. */
  readonly queueReason: string | null;
  /** A sentence if the job runs, but something is wrong with its place, such as a node that does not answer. */
  readonly concern: string | null;
  readonly createdAtMs: number;
  /** Null while the job waits for capacity or in the queue of its backend. */
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** Processor time and peak memory, as far as the backend could measure them. */
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
  /** Time in which the GPUs of the job were busy, and the peak of their memory. Null without GPUs. */
  readonly gpuMs: number | null;
  readonly gpuPeakBytes: number | null;
  /** Names of usage values measured at intervals. All remaining values are exact. */
  readonly sampled: readonly SampledValue[];
  /** The memory limit requested for the job. Null if unlimited. */
  readonly memoryLimitBytes: number | null;
  /** Number of the run's event that contains the job's end. */
  readonly endedSeq: number | null;
  /** The earlier run's job that did the work and printed the log. Null for a job that ran itself. */
  readonly takenFrom: string | null;
  /** Why the job ran again, or did not. Null if it is the first of its kind. */
  readonly decision: Decision | null;
}

export async function jobsOfRun(db: Connection, runId: string): Promise<JobRecord[]> {
  return jobsOfRuns(db, [runId]);
}

/** Returns the jobs of the runs, in order of submission within each. */
export async function jobsOfRuns(db: Connection, runIds: readonly string[]): Promise<JobRecord[]> {
  if (runIds.length === 0) return [];
  const rows = await db
    .selectFrom("jobs")
    .selectAll()
    .where("run_id", "in", [...runIds])
    .orderBy("run_id")
    .orderBy("ordinal")
    .execute();
  return rows.map(toJob);
}

/** Finds a job by id, or else the last attempt by key. Each lookup uses a separate index. */
export async function maybeJob(
  db: Connection,
  runId: string,
  idOrKey: string,
): Promise<JobRecord | undefined> {
  const ofRun = db.selectFrom("jobs").selectAll().where("run_id", "=", runId);
  const row =
    (await ofRun.where("id", "=", idOrKey).executeTakeFirst()) ??
    (await ofRun.where("key", "=", idOrKey).orderBy("attempt", "desc").limit(1).executeTakeFirst());
  return row && toJob(row);
}

/** Finds a job of any run by its id. */
export async function maybeJobOfAny(db: Connection, id: string): Promise<JobRecord | undefined> {
  const row = await db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
  return row && toJob(row);
}

/** Returns a run's jobs with the given ids, in order of submission. */
export async function jobsWithIds(
  db: Connection,
  runId: string,
  ids: readonly string[],
): Promise<JobRecord[]> {
  if (ids.length === 0) return [];
  const ofRun = db.selectFrom("jobs").selectAll().where("run_id", "=", runId);
  const rows = await ofRun
    .where("id", "in", [...ids])
    .orderBy("ordinal")
    .execute();
  return rows.map(toJob);
}

/** Returns the jobs of a run at these places, in order of submission. */
export async function jobsAt(
  db: Connection,
  runId: string,
  ordinals: readonly number[],
): Promise<JobRecord[]> {
  if (ordinals.length === 0) return [];
  const ofRun = db.selectFrom("jobs").selectAll().where("run_id", "=", runId);
  const rows = await ofRun
    .where("ordinal", "in", [...ordinals])
    .orderBy("ordinal")
    .execute();
  return rows.map(toJob);
}

interface JobsPart {
  readonly runId: string;
  readonly offset: number;
  readonly limit: number;
  /** Node of the graph. Optional: if absent, all jobs. */
  readonly node?: string;
}

/** Returns one page of a run's jobs, in order of submission. */
export async function pageOfJobs(db: Connection, { node, ...part }: JobsPart): Promise<JobRecord[]> {
  const { rows } = node === undefined ? await jobRows(db, part) : await nodeRows(db, { ...part, node });
  return rows.map(toJob);
}

/** Ordinals have no gaps, so that the offset is a place in the index: the last page is as fast as the first. */
const jobRows = fixedQuery((db, { runId, offset, limit }: JobsPart) =>
  db
    .selectFrom("jobs")
    .selectAll()
    .where("run_id", "=", runId)
    .where("ordinal", ">=", offset)
    .orderBy("ordinal")
    .limit(limit),
);

/** Returns the newest jobs of a run, at most `limit`, in order of submission. */
export async function newestJobs(db: Connection, runId: string, limit: number): Promise<JobRecord[]> {
  return (await newestRows(db, { runId, limit })).rows.map(toJob).toReversed();
}

const newestRows = fixedQuery((db, { runId, limit }: { runId: string; limit: number }) =>
  db.selectFrom("jobs").selectAll().where("run_id", "=", runId).orderBy("ordinal", "desc").limit(limit),
);

const nodeRows = fixedQuery((db, { runId, node, offset, limit }: JobsPart & { readonly node: string }) =>
  db
    .selectFrom("jobs")
    .selectAll()
    .where("run_id", "=", runId)
    .where("node", "=", node)
    .orderBy("ordinal")
    .offset(offset)
    .limit(limit),
);

/** Returns how many jobs a run or a node has so far, each attempt counted. No jobs are read for it. */
export async function countJobs(db: Connection, runId: string, node?: string): Promise<number> {
  if (node !== undefined) return jobsIn(await nodeCounts(db, { runId, node }));
  const { rows } = await lastOrdinal(db, { runId });
  return rows[0] ? rows[0].ordinal + 1 : 0;
}

const lastOrdinal = fixedQuery((db, { runId }: { runId: string }) =>
  db.selectFrom("jobs").select("ordinal").where("run_id", "=", runId).orderBy("ordinal", "desc").limit(1),
);

/** Returns the newest running job, or the newest ended job if none is running. */
export async function maybeCurrentJob(db: Connection, runId: string): Promise<JobRecord | undefined> {
  const row = (await newestRunning(db, { runId })).rows[0] ?? (await newestEnded(db, { runId })).rows[0];
  return row && toJob(row);
}

const newestRunning = fixedQuery((db, { runId }: { runId: string }) =>
  newestOf(db, runId).where(openJobCondition).where(shownStatusIs("running")),
);

/** Reads past the open jobs that are newer: no more than a run may have outstanding. */
const newestEnded = fixedQuery((db, { runId }: { runId: string }) =>
  newestOf(db, runId).where("status", "not in", [...OPEN_JOB_STATUSES]),
);

function newestOf(db: Connection, runId: string) {
  return db.selectFrom("jobs").selectAll().where("run_id", "=", runId).orderBy("ordinal", "desc").limit(1);
}

/** Returns the jobs that have not ended yet, in order of submission. */
export async function openJobs(db: Connection, runId: string): Promise<JobRecord[]> {
  return (await openRows(db, { runId })).rows.map(toJob);
}

const openRows = fixedQuery((db, { runId }: { runId: string }) =>
  db.selectFrom("jobs").selectAll().where("run_id", "=", runId).where(openJobCondition).orderBy("ordinal"),
);

/** Returns the running jobs of a user, with their backends. */
export async function runningJobsOfOwner(
  db: Connection,
  ownerId: string,
): Promise<{ readonly id: string; readonly backend: string; readonly host_id: string | null }[]> {
  const liveRuns = db.selectFrom("runs").select("id").where("owner_id", "=", ownerId).where(liveRunCondition);
  return db
    .selectFrom("jobs")
    .select(["id", "backend", "host_id"])
    .where("run_id", "in", liveRuns)
    .where(openJobCondition)
    .where("status", "=", "running")
    .execute();
}

/** Returns the keys of a run's jobs from that position on, in order of submission. */
export async function jobKeysFrom(db: Connection, runId: string, ordinal: number): Promise<string[]> {
  return (await keysFrom(db, { runId, ordinal })).rows.map((row) => row.key);
}

const keysFrom = fixedQuery((db, { runId, ordinal }: { runId: string; ordinal: number }) =>
  db
    .selectFrom("jobs")
    .select("key")
    .where("run_id", "=", runId)
    .where("ordinal", ">=", ordinal)
    .orderBy("ordinal"),
);

/** Place of a job: the id there, and the name of the backend. */
export type JobPlace = Pick<JobRecord, "id" | "backend">;

/** Reading all 100,000 places of a run at once would stop the server for 100 ms. */
const PLACES_AT_ONCE = 1000;

/** Returns the places of a run's jobs in pieces, in order of submission. Other work gets its turn between two pieces. */
export async function* jobPlacesOfRun(db: Connection, runId: string): AsyncGenerator<readonly JobPlace[]> {
  for (let after = -1; ;) {
    const { rows } = await placesAfter(db, { runId, after });
    if (rows.length > 0) yield rows.map(({ id, backend }) => ({ id, backend }));
    if (rows.length < PLACES_AT_ONCE) return;
    after = rows.at(-1)!.ordinal;
    await setImmediate();
  }
}

const placesAfter = fixedQuery((db, { runId, after }: { runId: string; after: number }) =>
  db
    .selectFrom("jobs")
    .select(["id", "backend", "ordinal"])
    .where("run_id", "=", runId)
    .where("ordinal", ">", after)
    .orderBy("ordinal")
    .limit(PLACES_AT_ONCE),
);

/** Returns the places of the jobs of all runs that share the workspace. */
export async function jobPlacesOfWorkspace(db: Connection, workspaceId: string): Promise<JobPlace[]> {
  return db
    .selectFrom("jobs")
    .innerJoin("runs", "runs.id", "jobs.run_id")
    .select(["jobs.id", "jobs.backend"])
    .where("runs.workspace_id", "=", workspaceId)
    .execute();
}

function toJob(row: Selectable<Tables["jobs"]>): JobRecord {
  return {
    id: row.id,
    runId: row.run_id,
    ordinal: row.ordinal,
    key: row.key,
    attempt: row.attempt,
    name: row.name,
    label: row.label ?? row.name,
    node: row.node,
    command: row.command,
    image: row.image,
    backend: row.backend,
    status: row.queue_reason === null ? row.status : "queued",
    reason: row.reason,
    exitCode: row.exit_code,
    detail: row.detail,
    hostId: row.host_id,
    hostToken: row.host_token,
    outsideId: row.outside_id,
    queueReason: row.queue_reason,
    concern: row.concern,
    createdAtMs: row.created_at,
    startedAtMs: row.started_at,
    finishedAtMs: row.finished_at,
    cpuMs: row.cpu_ms,
    peakBytes: row.peak_bytes,
    gpuMs: row.gpu_ms,
    gpuPeakBytes: row.gpu_peak_bytes,
    sampled: SAMPLED_VALUES.filter((one) => row.sampled?.split(" ").includes(one)),
    memoryLimitBytes: row.memory_limit_bytes,
    imageDigest: row.image_digest,
    endedSeq: row.ended_seq,
    takenFrom: row.taken_from,
    decision: row.decision === null ? null : (JSON.parse(row.decision) as Decision),
  };
}
