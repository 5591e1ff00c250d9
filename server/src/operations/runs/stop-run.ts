import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { findRun } from "#operations/find-run";
import { whyNot, statusConflict } from "#operations/runs/status-conflict";
import { crashPoint } from "#plumbing/crash-points";
import { logLine } from "#runner/engine/engine-log";
import { type Connection, transaction } from "#store/database/database";
import { insertRunEvent, nextRunEventSeq } from "#store/events/run-events";
import { notify } from "#store/database/wake-ups";
import { moveRun } from "#store/runs/move-run";
import { oneRun, requestStop, type Run } from "#store/runs/runs";
import { fullNameOf } from "#operations/full-name";
import { STOPPED } from "#workflow/run/event-kinds";
import { isLive } from "#workflow/run/run-status";

type StopContext = Pick<RunServices, "db" | "clock" | "scheduler" | "disk">;

/** Time a stop waits for the last process to end before it returns the status as it is. */
const STOP_WAIT_MS = 10_000;

/**
 * Stops a live run. A run that is already stopped is returned unchanged. The request is stored before anything else
 * happens, so a stop that was acknowledged is carried out even if this server crashes.
 */
export async function stopRun(context: StopContext, caller: Caller, address: string): Promise<Run> {
  const { id } = await findRun(context, caller, address, "change");
  const atMs = context.clock.now();
  context.disk.ensureRoom();
  const run = await transaction(context.db, (db) => askToStop(db, id, atMs));
  crashPoint("stop-recorded");
  if (!isLive(run.status)) return run;
  await context.scheduler.stop(id, STOP_WAIT_MS);
  return transaction(context.db, (db) => oneRun(db, id));
}

/**
 * Records the request to stop a run, in the caller's transaction. The request alone stops a queued run, which
 * has no jobs. A pending or running run stays live until its end.
 */
export async function askToStop(db: Connection, id: string, atMs: number): Promise<Run> {
  const run = await oneRun(db, id);
  if (whyNot("stopped", run.status)) throw statusConflict("stopped", fullNameOf(run), run.status);
  if (!isLive(run.status)) return run;
  await requestStop(db, id, atMs);
  await notify(db, { kind: "run-changed", runId: id });
  if (await moveRun(db, { runId: id, to: "stopped", by: "user", atMs })) await recordStop(db, id, atMs);
  else await notify(db, { kind: "stop-requested", runId: id });
  return oneRun(db, id);
}

async function recordStop(db: Connection, id: string, atMs: number): Promise<void> {
  const line = "The run was stopped before it started.";
  const log = logLine({ logger: "root", level: "INFO", line }, atMs);
  const seq = await nextRunEventSeq(db, id);
  await insertRunEvent(db, id, { seq, kind: STOPPED, body: { ended: [] }, log, atMs });
}
