import type { JobStatus } from "#workflow/job/job";
import type { RunStatus } from "#workflow/run/run-status";
import type { SharedDatabase } from "./shared-database.ts";

/** A changed row of a transaction, in order. Triggers see every change by every statement. */
export type Change =
  | { readonly of: "run"; readonly id: string; readonly row: RunRow }
  | { readonly of: "job"; readonly id: string; readonly row: JobRow }
  | { readonly of: "event"; readonly id: string; readonly row: EventRow };

export interface RunRow {
  readonly workspaceId: string;
  readonly status: RunStatus;
  readonly stopRequestedAtMs: number | null;
  readonly total: number;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
  readonly heldBy: string | null;
  readonly epoch: number;
  readonly waitingFor: string | null;
}

export interface JobRow {
  readonly run: string;
  readonly key: string;
  readonly attempt: number;
  readonly status: JobStatus;
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly ordinal: number;
  /** The job of an earlier run whose work is reused. */
  readonly takenFrom: string | null;
  readonly name: string;
  /** The job's name in its cluster, as soon as a server knows the name. */
  readonly outsideId: string | null;
  readonly queueReason: string | null;
}

export interface EventRow {
  readonly seq: number;
  readonly kind: string;
}

const RUN = `json_object('workspaceId', new.workspace_id, 'status', new.status, 'stopRequestedAtMs', new.stop_requested_at, 'total', new.jobs_total,
  'running', new.jobs_running, 'finished', new.jobs_finished, 'failed', new.jobs_failed,
  'heldBy', new.held_by, 'epoch', new.lease_epoch, 'waitingFor', new.waiting_for)`;
const JOB = `json_object('run', new.run_id, 'key', new.key, 'attempt', new.attempt, 'status', new.status, 'reason', new.reason,
  'exitCode', new.exit_code, 'ordinal', new.ordinal, 'takenFrom', new.taken_from, 'name', new.name,
  'outsideId', new.outside_id, 'queueReason', new.queue_reason)`;
const EVENT = "json_object('seq', new.seq, 'kind', new.kind)";

const WATCHED = [
  { of: "run", on: "insert on runs", id: "new.id", row: RUN },
  { of: "run", on: "update on runs", id: "new.id", row: RUN },
  { of: "job", on: "insert on jobs", id: "new.id", row: JOB },
  { of: "job", on: "update on jobs", id: "new.id", row: JOB },
  { of: "event", on: "insert on run_events", id: "new.run_id", row: EVENT },
] as const;

/**
 * Installs temporary triggers. The triggers see the changes of this connection, are rolled back with it, and
 * are in no file.
 */
export async function watchChanges(database: SharedDatabase): Promise<void> {
  await database.run(
    "create temp table change_log (n integer primary key, kind text, id text, content text)",
  );
  for (const [index, { of, on, id, row }] of WATCHED.entries()) {
    await database.run(
      `create temp trigger watch_${index} after ${on} begin
         insert into change_log (kind, id, content) values ('${of}', ${id}, ${row});
       end`,
    );
  }
}

/** Returns the changes since the last call. The queries are made immediately; only their answer arrives later. */
export async function takeChanges(database: SharedDatabase): Promise<Change[]> {
  const found = database.run<{ kind: string; id: string; content: string }>(
    "select kind, id, content from change_log order by n",
  );
  const forgotten = database.run("delete from change_log");
  const { rows } = await found;
  await forgotten;
  return rows.map(({ kind, id, content }) => ({ of: kind, id, row: JSON.parse(content) }) as Change);
}
