import type { Connection } from "#store/database/database";
import { fixedQuery } from "#store/database/fixed-query";
import { isOpenJob } from "#store/database/status-in";
import type { JobStatus } from "#workflow/job";

/**
 * The part of an event that watchers of a run read, a little at a time. It leaves out the event's body, which is for
 * the engine and may be large.
 */
export interface NewsOfEvent {
  readonly seq: number;
  readonly atMs: number;
  /** Log lines of the engine, always whole lines. */
  readonly log: string;
  readonly ended: readonly EndedJob[];
}

export interface OpenJob {
  readonly id: string;
  readonly key: string;
  readonly attempt: number;
  readonly name: string;
  readonly status: JobStatus;
}

export interface EndedJob extends OpenJob {
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

const endedBetween = fixedQuery((db, { runId, fromSeq, toSeq }: Range) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "attempt", "name", "status", "reason", "exit_code", "ended_seq"])
    .where("run_id", "=", runId)
    .where("ended_seq", ">=", fromSeq)
    .where("ended_seq", "<=", toSeq)
    .orderBy("ended_seq")
    .orderBy("ordinal"),
);

/** A job's identity and status, nothing more. */
export type JobState = Pick<OpenJob, "id" | "key" | "attempt" | "status">;

/** Returns the states of all jobs of a run, in order of submission. */
export async function jobStates(db: Connection, runId: string): Promise<JobState[]> {
  return (await allStates(db, { runId })).rows;
}

const allStates = fixedQuery((db, { runId }: { runId: string }) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "attempt", "status"])
    .where("run_id", "=", runId)
    .orderBy("ordinal")
    .orderBy("attempt"),
);

/** Returns the jobs that have not ended yet, in order of submission. */
export async function openJobStates(db: Connection, runId: string): Promise<OpenJob[]> {
  return (await openStates(db, { runId })).rows;
}

const openStates = fixedQuery((db, { runId }: { runId: string }) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "attempt", "name", "status"])
    .where("run_id", "=", runId)
    .where(isOpenJob)
    .orderBy("ordinal"),
);
