import type { Ending } from "#engines/engine";
import { type CrashPoint, crashPoint } from "#plumbing/crash-points";
import { logLine } from "#runner/engine-log";
import type { NewJob, RunRecord } from "#runner/record";
import { type Connection, transaction } from "#store/database/database";
import { admitJobs, endJob, insertJob, insertTakenJob, type Placement } from "#store/jobs/job-changes";
import { insertDrawing, markNode } from "#store/jobs/run-nodes";
import { insertJobStamps } from "#store/jobs/job-stamps";
import { checkLease, type Lease } from "#store/hosts/leases";
import { moveRun } from "#store/runs/move-run";
import { insertRunEvent } from "#store/events/run-events";
import { insertRunOutputs } from "#store/runs/run-outputs";
import { insertRunResults } from "#store/runs/run-results";
import { putSnapshot } from "#store/events/run-snapshots";
import { setFailure, setJobsTotal } from "#store/runs/runs";
import { notify } from "#store/database/wake-ups";
import { attemptOf } from "#workflow/job";
import type { RunStatus } from "#workflow/run-status";

/** The circumstances under which a record is written. */
export interface Writing {
  readonly runId: string;
  /** The right to write for this run. If it has been lost, nothing is written. */
  readonly lease: Lease;
  readonly placement: Placement;
  readonly atMs: number;
}

/**
 * Writes a record in one transaction: either its events and all that follows from them are recorded, or nothing is. The
 * events of a run are numbered without gaps, so that two servers that drive the same run cannot both record the next
 * one.
 */
export async function writeRecord(db: Connection, writing: Writing, record: RunRecord): Promise<void> {
  const { runId, lease, placement, atMs } = writing;
  await transaction(db, async (connection) => {
    await checkLease(connection, runId, lease);
    if (record.moveTo) await move(connection, writing, record.moveTo);
    await writeEvents(connection, writing, record);
    for (const job of record.jobs) await writeJob(connection, writing, job);
    await admitJobs(connection, record.admitted, { ...placement, atMs });
    if (record.snapshot) await putSnapshot(connection, runId, record.snapshot);
    if (record.ending) await writeEnding(connection, writing, record.ending);
    if (record.results) await insertRunResults(connection, runId, record.results);
    await notify(connection, { kind: "run-changed", runId });
  });
  crashPoint(pointAfter(record));
}

function pointAfter(record: RunRecord): CrashPoint {
  if (record.ending || record.moveTo === "stopped") return "end-recorded";
  if (record.moveTo) return "beginning-recorded";
  if (record.jobs.some(({ taken }) => taken)) return "take-over-recorded";
  if (record.jobs.some(({ job }) => attemptOf(job) > 1)) return "retry-recorded";
  if (record.snapshot) return "snapshot-recorded";
  return record.admitted.length > 0 ? "jobs-admitted" : "events-recorded";
}

async function writeEvents(db: Connection, { runId, atMs }: Writing, record: RunRecord): Promise<void> {
  for (const [index, { kind, body, lines }] of record.events.entries()) {
    const log = lines.map((line) => logLine(line, atMs)).join("");
    await insertRunEvent(db, runId, { seq: record.firstSeq + index, kind, body, log, atMs });
  }
  for (const { id, end, seq } of record.ended) await endJob(db, id, end, seq);
  for (const { id, stamps } of record.stamps) await insertJobStamps(db, id, stamps);
  if (record.jobsTotal !== undefined) await setJobsTotal(db, runId, record.jobsTotal);
  if (record.drawn) await insertDrawing(db, runId, record.firstSeq, record.drawn);
  for (const { node, as } of record.marks ?? []) await markNode(db, { runId, node }, as);
}

async function writeJob(db: Connection, writing: Writing, newJob: NewJob): Promise<void> {
  const { runId, placement, atMs: createdAtMs } = writing;
  const { id, job, ordinal, isAdmitted, taken } = newJob;
  const { key, name, node, displayCommand: command, image } = job;
  const row = { id, runId, ordinal, key, attempt: attemptOf(job), name, node, command, image, createdAtMs };
  if (!taken) return insertJob(db, { ...row, ...placement, status: isAdmitted ? "running" : "created" });
  const { from: takenFrom, reason: detail, seq: endedSeq, stamps } = taken;
  await insertTakenJob(db, { ...row, backend: placement.backend, takenFrom, detail, endedSeq });
  if (stamps) await insertJobStamps(db, id, stamps);
}

async function writeEnding(db: Connection, writing: Writing, ending: Ending): Promise<void> {
  if (ending.do === "fail") {
    await setFailure(db, writing.runId, ending.reason, ending.job);
    return move(db, writing, "failed");
  }
  if (ending.outputs) await insertRunOutputs(db, writing.runId, ending.outputs);
  return move(db, writing, "finished");
}

async function move(db: Connection, { runId, atMs }: Writing, to: RunStatus): Promise<void> {
  if (!(await moveRun(db, { runId, to, by: "runner", atMs }))) {
    throw new Error(`The run ${runId} could not be moved to ${to}: something else has changed its status.`);
  }
}
