import type { Stamped } from "#engines/engine";
import type { Operations } from "#operations/context";
import { type DeleteContext, deleteUnlessLive } from "#operations/runs/delete-run";
import { crashPoint } from "#plumbing/crash-points";
import { type Connection, transaction } from "#store/database/database";
import { emptyRunEvents, nextRunEventSeq } from "#store/events/run-events";
import { maybeJob } from "#store/jobs/jobs";
import { markEmptied, maybeRunToEmpty, runsToDelete } from "#store/runs/old-runs";
import { oneRun } from "#store/runs/runs";
import { LEFT_FILES, REMOVED_FILES, UNREAD_FILES } from "#workflow/run/event-kinds";

/** Times to keep what ended runs leave. Undefined: for ever. */
export interface Keep {
  readonly runsMs?: number | undefined;
  /** For the bodies of events, and snapshots. */
  readonly eventsMs?: number | undefined;
}

/** Maximum number of runs that one sweep deletes. */
const RUNS_AT_ONCE = 20;

/**
 * Returns a function that deletes runs which ended more than `keepMs` ago, as their owners would: files and logs of jobs
 * go, and the row stays, so that no number is used twice. Live runs, runs that were never started, and runs whose
 * workspace a live run uses stay. It returns the number of deleted runs, and throws after the last one if the files
 * of one could not be removed: the next start of a server removes those.
 */
export function createRunSweep(context: DeleteContext, keepMs: number): () => Promise<number> {
  return async () => {
    const endedBeforeMs = context.clock.now() - keepMs;
    const old = await runsToDelete(context.db, { endedBeforeMs, max: RUNS_AT_ONCE });
    if (old.length > 0) context.disk.ensureRoom();
    const failures: unknown[] = [];
    for (const run of old) {
      await deleteUnlessLive(context, run, "retention").catch((error: unknown) => void failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
    return old.length;
  };
}

/** Number of events that one statement empties. */
const EVENTS_AT_ONCE = 500;
/** Maximum number of such writes in one sweep. */
const BATCHES_AT_ONCE = 100;

/**
 * Returns a function that empties the events of runs which ended more than `keepMs` ago, and removes their snapshots.
 * The next sweep continues where the last one has stopped. After a crash, a run is begun again, with the same outcome.
 */
export function createEventSweep(
  context: Pick<Operations, "db" | "clock">,
  keepMs: number,
): () => Promise<void> {
  let last = { runId: "", next: 0 };
  return async () => {
    for (let left = BATCHES_AT_ONCE; left > 0; left -= 1) {
      const runId = await maybeRunToEmpty(context.db, context.clock.now() - keepMs);
      if (runId === undefined) return;
      const from = last.runId === runId ? last.next : 0;
      if (from < (await nextRunEventSeq(context.db, runId))) await emptyBatch(context.db, runId, from);
      else await finishEmptying(context, runId);
      last = { runId, next: from + EVENTS_AT_ONCE };
    }
  };
}

async function emptyBatch(db: Connection, runId: string, from: number): Promise<void> {
  const keptSeqs = await seqsOfFailure(db, runId);
  await emptyRunEvents(db, runId, { from, count: EVENTS_AT_ONCE, keptKinds: KEPT_KINDS, keptSeqs });
  crashPoint("events-emptied");
}

async function finishEmptying({ db, clock }: Pick<Operations, "db" | "clock">, runId: string): Promise<void> {
  const atMs = clock.now();
  await transaction(db, (tx) => markEmptied(tx, runId, atMs));
  crashPoint("snapshot-removed");
}

/** A restart compares the files with these stamps. All else that it needs of the last run is in other tables. */
const KEPT_KINDS = ["stamped" satisfies Stamped["kind"], REMOVED_FILES, UNREAD_FILES, LEFT_FILES] as const;

/** Returns the number of the event with the last lines of the job that made the run fail. */
async function seqsOfFailure(db: Connection, runId: string): Promise<readonly number[]> {
  const { failedJob } = await oneRun(db, runId);
  const job = failedJob === null ? undefined : await maybeJob(db, runId, failedJob);
  const seq = job?.endedSeq ?? null;
  return seq === null ? [] : [seq];
}
