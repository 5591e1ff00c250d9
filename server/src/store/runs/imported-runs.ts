import { sql } from "kysely";
import type { Connection } from "#store/database/database";
import { rowsQuery } from "#store/database/many-rows";
import { insertRunEvent } from "#store/events/run-events";
import { countNodes } from "#store/jobs/run-nodes";
import { moveCount } from "#store/runs/run-counts";
import { setStartOptions } from "#store/runs/runs";
import { countUseOf } from "#store/runs/usage-days";
import type { ENDED_JOB_STATUSES } from "#workflow/job/job";
import type { Specification } from "#workflow/specification/specification";

/** The end of a run that another service carried out. */
export interface ImportedEnd {
  readonly status: "finished" | "failed" | "stopped" | "deleted";
  readonly specification: Specification;
  readonly inputParameters: Readonly<Record<string, unknown>>;
  readonly operationalOptions: Readonly<Record<string, unknown>>;
  readonly jobsTotal: number;
  readonly jobsFinished: number;
  readonly jobsFailed: number;
  readonly cpuMs: number;
  /** Lines of the workflow's engine. */
  readonly log: string;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  readonly stoppedAtMs: number | null;
}

/** A job of an imported run. Its backend has the log already. */
export interface ImportedJob {
  readonly id: string;
  readonly name: string;
  readonly node: string;
  readonly command: string;
  readonly image: string | null;
  readonly backend: string;
  readonly hostId: string | null;
  readonly outsideId: string | null;
  readonly status: (typeof ENDED_JOB_STATUSES)[number];
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
}

/** Ends a run that was inserted as created. Must run in a transaction, once for each run. */
export async function endImportedRun(
  db: Connection,
  run: { readonly id: string; readonly ownerId: string },
  end: ImportedEnd,
  atMs: number,
): Promise<void> {
  await setStartOptions(db, run.id, end.inputParameters, end.operationalOptions, end);
  await db
    .updateTable("runs")
    .set({
      status: end.status,
      jobs_total: end.jobsTotal,
      jobs_finished: end.jobsFinished,
      jobs_failed: end.jobsFailed,
      cpu_ms: end.cpuMs,
      queued_at: end.startedAtMs,
      started_at: end.startedAtMs,
      finished_at: end.finishedAtMs,
      stopped_at: end.stoppedAtMs,
      // The run has no events that could be replayed.
      emptied_at: atMs,
    })
    .where("id", "=", run.id)
    .execute();
  await moveCount(db, { ownerId: run.ownerId, from: "created", to: end.status });
  await insertRunEvent(db, run.id, { seq: 0, kind: "imported", body: {}, log: wholeLines(end.log), atMs });
  if (end.finishedAtMs !== null || end.stoppedAtMs !== null) await countUseOf(db, run.id);
}

/** Readers of a log expect whole lines. */
function wholeLines(log: string): string {
  return log === "" || log.endsWith("\n") ? log : `${log}\n`;
}

/** Inserts jobs of an imported run, in the order of their ordinals from `ordinal` on. */
export async function insertImportedJobs(
  db: Connection,
  runId: string,
  ordinal: number,
  jobs: readonly ImportedJob[],
): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job, index) => ({
    id: job.id,
    run_id: runId,
    ordinal: ordinal + index,
    name: job.name,
    node: job.node,
    command: job.command,
    image: job.image,
    backend: job.backend,
    host_id: job.hostId,
    outside_id: job.outsideId,
    status: job.status,
    reason: job.status === "stopped" ? "cancelled" : "exited",
    exit_code: job.status === "finished" ? 0 : null,
    created_at: job.createdAtMs,
    started_at: job.startedAtMs,
    finished_at: job.finishedAtMs,
  }));
  await insertRows(db, rows);
  const changes = jobs.map(({ node, status }) => ({ node, change: { [status]: 1 } }));
  await countNodes(db, runId, changes);
}

const COLUMNS = {
  id: "text",
  run_id: "text",
  ordinal: "integer",
  name: "text",
  node: "text",
  command: "text",
  image: "text",
  backend: "text",
  host_id: "text",
  outside_id: "text",
  status: "text",
  reason: "text",
  exit_code: "integer",
  created_at: "bigint",
  started_at: "bigint",
  finished_at: "bigint",
} as const;
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

const insertRows = rowsQuery(COLUMNS, (db, given) =>
  db
    .insertInto("jobs")
    .columns([...NAMES, "key", "attempt", "host_token"])
    .expression(sql`select ${sql.join(NAMES.map((name) => sql.ref(name)))}, id, 1, '' from ${given}`),
);
