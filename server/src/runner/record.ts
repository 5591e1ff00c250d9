import type { Instruction } from "#engines/engine";
import { logLine } from "#runner/engine-log";
import { jobIdOf } from "#runner/job-id";
import { type Connection, transaction } from "#store/database";
import { endJob, insertJob } from "#store/jobs";
import { insertRunEvent } from "#store/run-events";
import { changeStatus } from "#store/workflow-status";
import { setFailure, setJobsTotal } from "#store/workflows";
import type { Job, JobEnd } from "#workflow/job";
import type { RunStatus } from "#workflow/run-status";

/** One moment of a run: an event, and everything in the database that follows from it. */
export interface Moment {
  readonly workflowId: string;
  readonly seq: number;
  readonly kind: string;
  readonly body: unknown;
  readonly atMs: number;
  readonly ended: readonly { readonly key: string; readonly end: JobEnd }[];
  readonly instructions: readonly Instruction[];
  readonly firstOrdinal: number;
  /** A move that the event itself makes, before what the engine says. */
  readonly moveTo?: RunStatus;
}

export interface JobPlacement {
  readonly backend: string;
  readonly bootId: string;
}

/** The first attempt is the only one: a second needs an event that proves the first one gone. */
const ATTEMPT = 1;

/**
 * Writes a moment in one transaction: either the event and all that follows from it are there, or nothing is. The
 * events of a run are numbered without gaps, so that two who drive the same run cannot both record the next one.
 */
export function record(db: Connection, moment: Moment, placement: JobPlacement): Promise<void> {
  return transaction(db, async (connection) => {
    await insertRunEvent(connection, moment.workflowId, {
      seq: moment.seq,
      kind: moment.kind,
      body: moment.body,
      log: logOf(moment),
      atMs: moment.atMs,
    });
    if (moment.moveTo) await move(connection, moment, moment.moveTo);
    for (const { key, end } of moment.ended) {
      await endJob(connection, jobIdOf(moment.workflowId, key, ATTEMPT), end);
    }
    let ordinal = moment.firstOrdinal;
    for (const instruction of moment.instructions) {
      await write(connection, moment, placement, instruction, ordinal);
      if (instruction.do === "submit") ordinal += 1;
    }
  });
}

async function write(
  db: Connection,
  moment: Moment,
  placement: JobPlacement,
  instruction: Instruction,
  ordinal: number,
): Promise<void> {
  switch (instruction.do) {
    case "expect":
      return setJobsTotal(db, moment.workflowId, instruction.jobs);
    case "submit":
      return insertJob(db, newJob(moment, placement, instruction.job, ordinal));
    case "finish":
      return move(db, moment, "finished");
    case "fail":
      await setFailure(db, moment.workflowId, instruction.reason);
      return move(db, moment, "failed");
    case "log":
      return;
  }
}

async function move(db: Connection, moment: Moment, to: RunStatus): Promise<void> {
  const change = { workflowId: moment.workflowId, to, by: "runner", atMs: moment.atMs } as const;
  if (!(await changeStatus(db, change))) {
    throw new Error(
      `The run ${moment.workflowId} could not be moved to ${to}: its status was changed by another.`,
    );
  }
}

function newJob(moment: Moment, placement: JobPlacement, job: Job, ordinal: number) {
  return {
    id: jobIdOf(moment.workflowId, job.key, ATTEMPT),
    workflowId: moment.workflowId,
    ordinal,
    key: job.key,
    attempt: ATTEMPT,
    name: job.name,
    command: job.displayCommand,
    image: job.image,
    backend: placement.backend,
    bootId: placement.bootId,
    createdAtMs: moment.atMs,
  };
}

/** The engine's own lines, and for a failure the sentence with what the job printed last. */
function logOf(moment: Moment): string {
  return moment.instructions.map((instruction) => linesOf(moment, instruction)).join("");
}

function linesOf(moment: Moment, instruction: Instruction): string {
  if (instruction.do === "log") return logLine(instruction, moment.atMs);
  if (instruction.do !== "fail") return "";
  const { lastLines } = (moment.body ?? {}) as { lastLines?: readonly string[] };
  const printed = lastLines?.length ? ["The last lines that it printed:", ...lastLines] : [];
  return [instruction.reason, ...printed]
    .map((line) => logLine({ do: "log", logger: "root", level: "ERROR", line }, moment.atMs))
    .join("");
}
