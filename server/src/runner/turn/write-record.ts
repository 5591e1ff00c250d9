import type { Ending } from "#engines/engine";
import { type CrashPoint, crashPoint } from "#plumbing/crash-points";
import { logLine } from "#runner/engine/engine-log";
import type { NewJob, RunRecord, Taken } from "#runner/turn/record";
import { type Connection, transaction } from "#store/database/database";
import { changeJobs } from "#store/jobs/change-jobs";
import type { Admission, Placement } from "#store/jobs/job-changes";
import type { NewJob as JobRow, TakenJob } from "#store/jobs/new-jobs";
import { insertDrawing, markNode } from "#store/jobs/run-nodes";
import { insertJobContents } from "#store/jobs/job-contents";
import { insertJobStamps } from "#store/jobs/job-stamps";
import { checkLease, type Lease } from "#store/hosts/leases";
import { moveRun } from "#store/runs/move-run";
import { insertRunEvents } from "#store/events/run-events";
import { insertRunOutputs } from "#store/runs/run-outputs";
import { insertRunResults } from "#store/runs/run-results";
import { putSnapshot } from "#store/events/run-snapshots";
import { setFailure } from "#store/runs/runs";
import { addEngineTime, countUseOf } from "#store/runs/usage-days";
import { together } from "#store/database/together";
import { notify } from "#store/database/wake-ups";
import { attemptOf, type Job } from "#workflow/job/job";
import type { RunStatus } from "#workflow/run/run-status";

/** The circumstances under which a record is written. */
export interface Writing {
  readonly runId: string;
  /** The right to write for this run. If the lease is lost, the transaction fails. */
  readonly lease: Lease;
  /** Place where a job is to run. */
  readonly placementOf: (job: Job) => Placement;
  readonly atMs: number;
  /** Processor time of the run's engine since the last record. */
  readonly engineMs: number;
}

/**
 * Writes a record in one transaction: its events and all their consequences are recorded together or not at
 * all. Events of a run are numbered without gaps, so two servers driving one run cannot both record the next
 * event.
 */
export async function writeRecord(db: Connection, writing: Writing, record: RunRecord): Promise<void> {
  const { runId, lease, engineMs } = writing;
  await transaction(db, async (connection) => {
    await together([
      checkLease(connection, runId, lease),
      record.moveTo && move(connection, writing, record.moveTo),
      engineMs > 0 && addEngineTime(connection, runId, engineMs),
      writeEvents(connection, writing, record),
      writeGraph(connection, runId, record),
      writeJobs(connection, writing, record),
      record.snapshot && putSnapshot(connection, runId, record.snapshot),
      record.ending && writeEnding(connection, writing, record.ending),
      record.results && insertRunResults(connection, runId, record.results),
      notify(connection, { kind: "run-changed", runId }),
    ]);
    // The month's usage counts the use of the run until now.
    if (endsRun(record)) await countUseOf(connection, runId);
  });
  crashPoint(pointAfter(record));
}

function endsRun({ ending, moveTo }: RunRecord): boolean {
  return ending !== undefined || moveTo === "stopped";
}

function pointAfter(record: RunRecord): CrashPoint {
  if (endsRun(record)) return "end-recorded";
  if (record.moveTo) return "beginning-recorded";
  if (record.jobs.some(({ taken }) => taken)) return "take-over-recorded";
  if (record.jobs.some(({ job }) => attemptOf(job) > 1)) return "retry-recorded";
  if (record.snapshot) return "snapshot-recorded";
  return record.admitted.length > 0 ? "jobs-admitted" : "events-recorded";
}

async function writeEvents(db: Connection, { runId, atMs }: Writing, record: RunRecord): Promise<void> {
  const events = record.events.map(({ kind, body, lines }, index) => {
    const log = lines.map((line) => logLine(line, atMs)).join("");
    return { seq: record.firstSeq + index, kind, body, log, atMs };
  });
  await together([insertRunEvents(db, runId, events), insertJobContents(db, record.contents)]);
}

async function writeGraph(
  db: Connection,
  runId: string,
  { firstSeq, drawn, marks }: RunRecord,
): Promise<void> {
  await together([
    drawn && insertDrawing(db, runId, firstSeq, drawn),
    ...(marks ?? []).map(({ node, as }) => markNode(db, { runId, node }, as)),
  ]);
}

async function writeJobs(db: Connection, writing: Writing, record: RunRecord): Promise<void> {
  const { ended, jobs, stamps, jobsTotal: expected } = record;
  const taken = jobs.flatMap((one) => (one.taken ? [takenJob(writing, one, one.taken)] : []));
  const issued = jobs.flatMap((one) => (one.taken ? [] : [issuedJob(writing, one)]));
  const stampsTaken = jobs.flatMap(({ id, taken: by }) => (by?.stamps ? [{ id, stamps: by.stamps }] : []));
  await together([
    changeJobs(db, writing.runId, { ended, taken, issued, admitted: admissions(writing, record), expected }),
    insertJobStamps(db, [...stamps, ...stampsTaken]),
  ]);
}

/** Returns the jobs with capacity, by backend and by whether it may queue them. */
function admissions({ placementOf, atMs }: Writing, { admitted }: RunRecord): Admission[] {
  const placed = admitted.map(({ id, job }) => ({ id, placement: placementOf(job) }));
  return Array.from(Map.groupBy(placed, ({ placement }) => JSON.stringify(placement)).values(), (group) => ({
    ...group[0]!.placement,
    ids: group.map(({ id }) => id),
    atMs,
  }));
}

function issuedJob(writing: Writing, one: NewJob): JobRow {
  const status = one.isAdmitted ? ("running" as const) : ("created" as const);
  return { ...rowOf(writing, one), ...writing.placementOf(one.job), status };
}

function takenJob(writing: Writing, newJob: NewJob, { from: takenFrom, seq: endedSeq }: Taken): TakenJob {
  const { backend } = writing.placementOf(newJob.job);
  const detail = newJob.decision?.sentence ?? null;
  return { ...rowOf(writing, newJob), backend, takenFrom, detail, endedSeq };
}

function rowOf({ runId, atMs: createdAtMs }: Writing, { id, job, ordinal, decision }: NewJob) {
  const { key, name, label = null, node, displayCommand: command, image } = job;
  const attempt = attemptOf(job);
  const row = { id, runId, ordinal, key, attempt, name, label, node, command, image, createdAtMs };
  return { ...row, decision: decision ?? null, memoryLimitBytes: job.limits?.memoryBytes ?? null };
}

async function writeEnding(db: Connection, writing: Writing, ending: Ending): Promise<void> {
  if (ending.outputs) await insertRunOutputs(db, writing.runId, ending.outputs);
  if (ending.do === "fail") {
    await setFailure(db, writing.runId, ending.reason, ending.job);
    return move(db, writing, "failed");
  }
  return move(db, writing, "finished");
}

async function move(db: Connection, { runId, atMs }: Writing, to: RunStatus): Promise<void> {
  if (!(await moveRun(db, { runId, to, by: "runner", atMs }))) {
    throw new Error(`The run ${runId} could not be moved to ${to}: something else has changed its status.`);
  }
}
