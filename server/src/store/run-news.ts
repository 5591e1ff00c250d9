import { sql } from "kysely";
import type { Connection } from "#store/database";
import { fixedQuery } from "#store/fixed-query";
import type { JobStatus } from "#workflow/job";

/**
 * What those who watch a run read of it: little at a time, and never what its events carry for the engine, which may be
 * large.
 */
export interface NewsOfEvent {
  readonly seq: number;
  readonly atMs: number;
  /** What the engine logged, whole lines. */
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
  readonly workflowId: string;
  readonly fromSeq: number;
  readonly limit: number;
}

/** Of the events from that number on, at most so many, in their order. */
export async function newsFrom(db: Connection, part: Part): Promise<NewsOfEvent[]> {
  const { rows } = await logsFrom(db, part);
  const last = rows.at(-1);
  if (!last) return [];
  const range = { workflowId: part.workflowId, fromSeq: part.fromSeq, toSeq: last.seq };
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

const logsFrom = fixedQuery((db, { workflowId, fromSeq, limit }: Part) =>
  db
    .selectFrom("run_events")
    .select(["seq", "at", "log"])
    .where("workflow_id", "=", workflowId)
    .where("seq", ">=", fromSeq)
    .orderBy("seq")
    .limit(limit),
);

interface Range {
  readonly workflowId: string;
  readonly fromSeq: number;
  readonly toSeq: number;
}

const endedBetween = fixedQuery((db, { workflowId, fromSeq, toSeq }: Range) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "attempt", "name", "status", "reason", "exit_code", "ended_seq"])
    .where("workflow_id", "=", workflowId)
    .where("ended_seq", ">=", fromSeq)
    .where("ended_seq", "<=", toSeq)
    .orderBy("ended_seq")
    .orderBy("ordinal"),
);

/** A job and how it stands, no more. */
export type JobState = Pick<OpenJob, "id" | "key" | "attempt" | "status">;

/** All jobs of a run, in the order of submission. */
export async function jobStates(db: Connection, workflowId: string): Promise<JobState[]> {
  return (await allStates(db, { workflowId })).rows;
}

const allStates = fixedQuery((db, { workflowId }: { workflowId: string }) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "attempt", "status"])
    .where("workflow_id", "=", workflowId)
    .orderBy("ordinal")
    .orderBy("attempt"),
);

/** The jobs that have no end yet, in the order of submission. */
export async function openJobStates(db: Connection, workflowId: string): Promise<OpenJob[]> {
  return (await openStates(db, { workflowId })).rows;
}

const openStates = fixedQuery((db, { workflowId }: { workflowId: string }) =>
  db
    .selectFrom("jobs")
    .select(["id", "key", "attempt", "name", "status"])
    .where("workflow_id", "=", workflowId)
    // In these words, so that the index of open jobs is seen to hold them.
    .where(sql<boolean>`status in ('created', 'running')`)
    .orderBy("ordinal"),
);
