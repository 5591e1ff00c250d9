import type { Stamped } from "#engines/engine";
import type { RunServices } from "#operations/runs/services";
import { type DeleteContext, deleteUnlessLive } from "#operations/runs/delete-run";
import { crashPoint } from "#plumbing/crash-points";
import { type Connection, transaction } from "#store/database/database";
import { emptyRunEvents, nextRunEventSeq } from "#store/events/run-events";
import { maybeJob } from "#store/jobs/jobs";
import { markEmptied, maybeRunToEmpty, runsToDelete } from "#store/runs/old-runs";
import { oneRun } from "#store/runs/runs";
import {
  INPUTS_FETCHED,
  LEFT_FILES,
  OUTPUTS_PUBLISHED,
  OUTPUTS_UNPUBLISHED,
  REMOVED_FILES,
  UNREAD_FILES,
} from "#workflow/run/event-kinds";

/** Maximum number of runs deleted in one sweep. */
const RUNS_AT_ONCE = 20;

/**
 * Returns a function that deletes runs ended more than `keepMs` ago, as a deletion by the owner does: files
 * and job logs are removed, and the row stays, so a number is never used twice. Keeps live runs, runs never
 * started, and runs with a workspace in use by a live run. The function returns the number of deleted runs,
 * and throws after the last run if any files could not be removed: the next start of a server removes them.
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

/** Number of events emptied by one statement. */
const EVENTS_AT_ONCE = 500;
/** Maximum number of `EVENTS_AT_ONCE` batches in one sweep. */
const BATCHES_AT_ONCE = 100;

/**
 * Returns a function that empties the events of runs which ended more than `keepMs` ago, and removes their snapshots.
 * The next sweep continues where the last one has stopped. After a crash, a run is begun again, with the same outcome.
 */
export function createEventSweep(
  context: Pick<RunServices, "db" | "clock">,
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

async function finishEmptying(
  { db, clock }: Pick<RunServices, "db" | "clock">,
  runId: string,
): Promise<void> {
  const atMs = clock.now();
  await transaction(db, (tx) => markEmptied(tx, runId, atMs));
  crashPoint("snapshot-removed");
}

/**
 * A restart compares the files with the stamps in these events. All other data of the last run needed by a
 * restart is in other tables.
 */
const KEPT_KINDS = [
  "stamped" satisfies Stamped["kind"],
  INPUTS_FETCHED,
  OUTPUTS_PUBLISHED,
  OUTPUTS_UNPUBLISHED,
  REMOVED_FILES,
  UNREAD_FILES,
  LEFT_FILES,
] as const;

/** Returns the number of the event with the last lines of the job that made the run fail. */
async function seqsOfFailure(db: Connection, runId: string): Promise<readonly number[]> {
  const { failedJob } = await oneRun(db, runId);
  const job = failedJob === null ? undefined : await maybeJob(db, runId, failedJob);
  const seq = job?.endedSeq ?? null;
  return seq === null ? [] : [seq];
}
