import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { endedJobCondition, openJobCondition, shownJobStatus } from "#store/database/status-in";
import { isOpenJob, type JobStatus, type RecordedJobStatus } from "#workflow/job/job";

/**
 * The part of an event that watchers of a run read, a little at a time. It leaves out the event's body, which is for
 * the engine and may be large.
 */
export interface NewsOfEvent {
  readonly seq: number;
  readonly atMs: number;
  /** Log lines of the engine, always whole lines. */
  readonly log: string;
  readonly ended: readonly EndedJobNews[];
}

export interface OpenJob {
  readonly id: string;
  readonly key: string;
  readonly attempt: number;
  readonly name: string;
  /** Name to tell the job from other jobs of the step. */
  readonly label: string;
  readonly status: JobStatus;
}

export interface EndedJobNews extends OpenJob {
  readonly reason: string | null;
  readonly exitCode: number | null;
}

interface Part {
  readonly runId: string;
  readonly fromSeq: number;
  readonly limit: number;
}

/** Returns the news of at most `limit` events, from that number on, in order. */
export async function newsFrom(db: Connection, part: Part): Promise<NewsOfEvent[]> {
  const { rows } = await logsFrom(db, part);
  const last = rows.at(-1);
  if (!last) return [];
  const range = { runId: part.runId, fromSeq: part.fromSeq, toSeq: last.seq };
  const ended = Map.groupBy((await endedBetween(db, range)).rows, (job) => job.ended_seq);
  return rows.map((row) => ({
    seq: row.seq,
    atMs: row.at,
    log: row.log,
    ended: (ended.get(row.seq) ?? []).map(({ ended_seq: _, exit_code: exitCode, ...job }) => ({
      ...job,
      exitCode,
    })),
  }));
}

const logsFrom = fixedQuery((db, { runId, fromSeq, limit }: Part) =>
  db
    .selectFrom("run_events")
    .select(["seq", "at", "log"])
    .where("run_id", "=", runId)
    .where("seq", ">=", fromSeq)
    .orderBy("seq")
    .limit(limit),
);

interface Range {
  readonly runId: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

const SHOWN_STATUS = shownJobStatus.as("status");
const JOB_LABEL = sql<string>`coalesce(label, name)`.as("label");

const endedBetween = fixedQuery((db, { runId, fromSeq, toSeq }: Range) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "attempt", "name", JOB_LABEL, "status", "reason", "exit_code", "ended_seq"])
    .where("run_id", "=", runId)
    .where("ended_seq", ">=", fromSeq)
    .where("ended_seq", "<=", toSeq)
    .orderBy("ended_seq")
    .orderBy("ordinal"),
);

/** A job's identity, place in the graph and status, nothing more. */
export interface JobState extends Pick<OpenJob, "id" | "key" | "attempt" | "status"> {
  readonly node: string;
}

/** Returns the states of the newest jobs of a run, at most `limit`, in order of submission. */
export async function newestJobStates(db: Connection, runId: string, limit: number): Promise<JobState[]> {
  return (await newestStates(db, { runId, limit })).rows.toReversed();
}

const newestStates = fixedQuery((db, { runId, limit }: { runId: string; limit: number }) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "node", "attempt", SHOWN_STATUS])
    .where("run_id", "=", runId)
    .orderBy("ordinal", "desc")
    .limit(limit),
);

/**
 * Returns the times of the newest ends of jobs, at most `limit`, the latest record first. Jobs that were
 * taken over count toward the limit, but have no time here: they ended with an earlier run.
 */
export async function newestEnds(db: Connection, runId: string, limit: number): Promise<number[]> {
  const { rows } = await newestEnded(db, { runId, limit });
  return rows.flatMap(({ taken_from: takenFrom, finished_at: at }) =>
    takenFrom === null && at !== null ? [at] : [],
  );
}

const newestEnded = fixedQuery((db, { runId, limit }: { runId: string; limit: number }) =>
  db
    .selectFrom("jobs")
    .select(["finished_at", "taken_from"])
    .where("run_id", "=", runId)
    .where("ended_seq", "is not", null)
    .orderBy("ended_seq", "desc")
    .limit(limit),
);

interface StatusPart {
  readonly runId: string;
  readonly status: JobStatus;
  readonly limit: number;
}

/** Returns the ids of the newest jobs in that status, at most `limit`, in order of submission. */
export async function newestJobIds(db: Connection, part: StatusPart): Promise<string[]> {
  const newest = isOpenJob(part.status) ? newestOpenIds : newestEndedIds;
  return (await newest(db, part)).rows.map(({ id }) => id).toReversed();
}

// Each condition names the index that is read.
const newestOpenIds = fixedQuery((db, part: StatusPart) =>
  newestIds(db, part).where(openJobCondition).where(shownJobStatus, "=", part.status),
);
const newestEndedIds = fixedQuery((db, part: StatusPart) =>
  newestIds(db, part)
    .where(endedJobCondition)
    .where("status", "=", part.status as RecordedJobStatus),
);

function newestIds(db: Connection, { runId, limit }: StatusPart) {
  return db
    .selectFrom("jobs")
    .select("id")
    .where("run_id", "=", runId)
    .orderBy("ordinal", "desc")
    .limit(limit);
}

/** Returns the jobs that have not ended yet, in order of submission. */
export async function openJobStates(db: Connection, runId: string): Promise<OpenJob[]> {
  return (await openStates(db, { runId })).rows;
}

const openStates = fixedQuery((db, { runId }: { runId: string }) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "attempt", "name", JOB_LABEL, SHOWN_STATUS])
    .where("run_id", "=", runId)
    .where(openJobCondition)
    .orderBy("ordinal"),
);
