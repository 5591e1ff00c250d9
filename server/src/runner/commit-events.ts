import { type Ending, type EngineEvent, type Instruction, isEnding, type TakeOver } from "#engines/engine";
import { type CrashPoint, crashPoint } from "#plumbing/crash-points";
import { logLine } from "#runner/engine-log";
import { jobIdOf } from "#runner/job-id";
import { type Connection, transaction } from "#store/database/database";
import {
  admitJobs,
  endJob,
  insertJob,
  insertTakenJob,
  type NewJob,
  type Placement,
} from "#store/jobs/job-changes";
import { insertJobStamps } from "#store/jobs/job-stamps";
import { checkLease, type Lease } from "#store/hosts/leases";
import { insertRunEvent } from "#store/events/run-events";
import { insertRunOutputs } from "#store/runs/run-outputs";
import { insertRunResults } from "#store/runs/run-results";
import { putSnapshot, type RunSnapshot } from "#store/events/run-snapshots";
import { notify } from "#store/database/wake-ups";
import { moveRun } from "#store/runs/move-run";
import { setFailure, setJobsTotal } from "#store/runs/runs";
import { attemptOf, type Job, type JobEnd } from "#workflow/job";
import type { Results } from "#workflow/results";
import type { RunStatus } from "#workflow/run-status";
import type { FileStamps } from "#workflow/file-stamps";

/** The events of a run that arrived together, and everything in the database that follows from them. */
export interface EventBatch {
  readonly runId: string;
  /** The right to write for this run. If it has been lost, nothing is written. */
  readonly lease: Lease;
  readonly atMs: number;
  /** Sequence number of the first event. */
  readonly firstSeq: number;
  /** The position of the next job among the run's jobs. */
  readonly firstOrdinal: number;
  readonly events: readonly BatchEvent[];
  /** Keys of the jobs that have capacity and are submitted next. The other new jobs wait for theirs. */
  readonly admitted: ReadonlySet<string>;
  /** A change of status that the event itself makes, before the run's end. */
  readonly moveTo?: RunStatus;
  /** Set if the run ends here: none of its jobs is left. */
  readonly ending?: Ending;
  readonly snapshot?: RunSnapshot;
  /** The outputs as they are at the end of the run. */
  readonly results?: Results;
}

export interface BatchEvent {
  readonly kind: string;
  readonly body: unknown;
  readonly ended: readonly EndedJob[];
  readonly stamps?: readonly JobStamps[];
  /** The engine's response to the event. */
  readonly instructions: readonly Instruction[];
}

/** Returns the record of an event that the engine has responded to. */
export function batchEvent(
  event: EngineEvent,
  stamps: FileStamps | undefined,
  instructions: readonly Instruction[],
): BatchEvent {
  const { kind } = event;
  if (kind !== "job-ended") return { kind, body: event, ended: [], instructions };
  const { key, end } = event;
  const job = event.attempt === undefined ? { key } : { key, attempt: event.attempt };
  const ofJob = stamps ? [{ ...job, stamps }] : [];
  return { kind, body: event, ended: [{ ...job, end }], stamps: ofJob, instructions };
}

export function submittedIn(events: readonly BatchEvent[]): Job[] {
  const instructions = events.flatMap((event) => event.instructions);
  return instructions.flatMap((one) => (one.do === "submit" ? [one.job] : []));
}

export interface EndedJob {
  readonly key: string;
  /** Absent for the first. */
  readonly attempt?: number;
  readonly end: JobEnd;
}

/** The changes in the workspace after a job. They are not part of the event, because no engine asks for them. */
export interface JobStamps {
  readonly key: string;
  readonly attempt?: number;
  readonly stamps: FileStamps;
}

/**
 * Writes a batch in one transaction: either its events and all that follows from them are recorded, or nothing is. The
 * events of a run are numbered without gaps, so that two servers that drive the same run cannot both record the next
 * one.
 */
export async function commitEvents(db: Connection, batch: EventBatch, placement: Placement): Promise<void> {
  await transaction(db, async (connection) => {
    await checkLease(connection, batch.runId, batch.lease);
    if (batch.moveTo) await move(connection, batch, batch.moveTo);
    let ordinal = batch.firstOrdinal;
    for (const [index, event] of batch.events.entries()) {
      const seq = batch.firstSeq + index;
      await writeEvent(connection, batch, event, seq);
      for (const instruction of event.instructions) {
        if (instruction.do === "expect") await setJobsTotal(connection, batch.runId, instruction.jobs);
        if (instruction.do !== "submit" && instruction.do !== "take-over") continue;
        const job = newJob(batch, placement, instruction.job, ordinal);
        if (instruction.do === "submit") await insertJob(connection, job);
        else await writeTakeOver(connection, job, instruction, seq);
        ordinal += 1;
      }
    }
    if (batch.snapshot) await putSnapshot(connection, batch.runId, batch.snapshot);
    if (batch.ending) await writeEnding(connection, batch, batch.ending);
    if (batch.results) await insertRunResults(connection, batch.runId, batch.results);
    await notify(connection, { kind: "run-changed", runId: batch.runId });
  });
  crashPoint(pointAfter(batch));
}

function pointAfter(batch: EventBatch): CrashPoint {
  if (batch.ending || batch.moveTo === "stopped") return "end-recorded";
  if (batch.moveTo) return "beginning-recorded";
  if (batch.events.some(({ instructions }) => instructions.some(isTakeOver))) return "take-over-recorded";
  if (submittedIn(batch.events).some((job) => attemptOf(job) > 1)) return "retry-recorded";
  return batch.snapshot ? "snapshot-recorded" : "events-recorded";
}

function isTakeOver(instruction: Instruction): boolean {
  return instruction.do === "take-over";
}

/** Records that waiting jobs have acquired their capacity. */
export async function commitAdmission(
  db: Connection,
  { runId, lease }: Pick<EventBatch, "runId" | "lease">,
  jobIds: readonly string[],
  admission: Placement & { readonly atMs: number },
): Promise<void> {
  await transaction(db, async (connection) => {
    await checkLease(connection, runId, lease);
    await admitJobs(connection, jobIds, admission);
    await notify(connection, { kind: "run-changed", runId });
  });
  crashPoint("jobs-admitted");
}

async function writeEvent(db: Connection, batch: EventBatch, event: BatchEvent, seq: number): Promise<void> {
  const log = event.instructions.map((instruction) => linesOf(batch, event, instruction)).join("");
  const { kind, body } = event;
  await insertRunEvent(db, batch.runId, { seq, kind, body, log, atMs: batch.atMs });
  const idOf = (job: { readonly key: string; readonly attempt?: number }) => jobIdOf(batch.runId, job);
  for (const { end, ...job } of event.ended) await endJob(db, idOf(job), end, seq);
  for (const { stamps, ...job } of event.stamps ?? []) await insertJobStamps(db, idOf(job), stamps);
}

async function writeTakeOver(
  db: Connection,
  job: NewJob,
  { from, reason, stamps }: TakeOver,
  seq: number,
): Promise<void> {
  await insertTakenJob(db, { ...job, takenFrom: from, detail: reason, endedSeq: seq });
  if (stamps) await insertJobStamps(db, job.id, stamps);
}

async function writeEnding(db: Connection, batch: EventBatch, ending: Ending): Promise<void> {
  if (ending.do === "fail") {
    await setFailure(db, batch.runId, ending.reason, ending.job);
    return move(db, batch, "failed");
  }
  if (ending.outputs) await insertRunOutputs(db, batch.runId, ending.outputs);
  return move(db, batch, "finished");
}

async function move(db: Connection, batch: EventBatch, to: RunStatus): Promise<void> {
  const change = { runId: batch.runId, to, by: "runner", atMs: batch.atMs } as const;
  if (!(await moveRun(db, change))) {
    throw new Error(
      `The run ${batch.runId} could not be moved to ${to}: something else has changed its status.`,
    );
  }
}

function newJob(batch: EventBatch, placement: Placement, job: Job, ordinal: number): NewJob {
  return {
    ...placement,
    status: batch.admitted.has(job.key) ? "running" : "created",
    id: jobIdOf(batch.runId, job),
    runId: batch.runId,
    ordinal,
    key: job.key,
    attempt: attemptOf(job),
    name: job.name,
    command: job.displayCommand,
    image: job.image,
    createdAtMs: batch.atMs,
  };
}

/** Returns the engine's own lines, and for a failure its reason with the job's last lines of output. */
function linesOf(batch: EventBatch, event: BatchEvent, instruction: Instruction): string {
  if (instruction.do === "log") return logLine(instruction, batch.atMs);
  if (!isEnding(instruction) || instruction.do === "finish") return "";
  const { lastLines } = (event.body ?? {}) as { lastLines?: readonly string[] };
  const printed = lastLines?.length ? ["The last lines that it printed:", ...lastLines] : [];
  return [instruction.reason, ...printed]
    .map((line) => logLine({ logger: "root", level: "ERROR", line }, batch.atMs))
    .join("");
}
