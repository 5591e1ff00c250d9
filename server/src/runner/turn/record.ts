import { type Ending, type Instruction, isEnding } from "#engines/engine";
import type { LogEntry } from "#runner/engine/engine-log";
import type { IssuedInstruction, IssuedJob, Responses } from "#runner/turn/job-id";
import type { Progress } from "#runner/turn/progress";
import type { EndedJobRow } from "#store/jobs/job-changes";
import type { JobContentsRow } from "#store/jobs/job-contents";
import type { RunSnapshot } from "#store/events/run-snapshots";
import { BEGUN } from "#workflow/run/event-kinds";
import type { FileStamps } from "#workflow/job/file-stamps";
import type { Graph } from "#workflow/graph";
import type { Decision } from "#workflow/job/decision";
import type { JobEnd } from "#workflow/job/job";
import type { Results } from "#workflow/run/results";
import type { RunStatus } from "#workflow/run/run-status";

/** The content of one transaction for a run: the events that arrived together, and all consequences. */
export interface RunRecord {
  /** Sequence number of the first event. */
  readonly firstSeq: number;
  readonly events: readonly RecordedEvent[];
  readonly ended: readonly (EndedJob & EndedJobRow)[];
  readonly stamps: readonly JobStamps[];
  /** Contents of ended jobs. Later runs decide by the contents whether to take the jobs over. */
  readonly contents: readonly JobContentsRow[];
  /** In order of issue. */
  readonly jobs: readonly NewJob[];
  /** Formerly waiting jobs that now have capacity. */
  readonly admitted: readonly IssuedJob[];
  /** The expected number of jobs, if the engine has reported one. */
  readonly jobsTotal?: number | undefined;
  /** The engine's additions to the run's graph. */
  readonly drawn?: Graph | undefined;
  /** The engine's marks on nodes, in order. */
  readonly marks?: readonly Mark[] | undefined;
  /** A change of status: `running` at the beginning, `stopped` for a stop. */
  readonly moveTo?: RunStatus | undefined;
  /** Set if the engine ended the run, or the run failed. */
  readonly ending?: Ending | undefined;
  readonly snapshot?: RunSnapshot | undefined;
  /** The outputs as they are at the end of the run. */
  readonly results?: Results | undefined;
}

type Mark = Pick<Extract<Instruction, { do: "mark" }>, "node" | "as">;

export interface RecordedEvent {
  readonly kind: string;
  readonly body: unknown;
  readonly lines: readonly LogEntry[];
}

/** A job whose end is recorded, or is about to be. */
export interface EndedJob {
  readonly id: string;
  readonly key: string;
  /** Number of the attempt, from the second on. */
  readonly attempt?: number;
  readonly end: JobEnd;
}

/**
 * The changes in the workspace after a job. They are not part of the event, because no engine reads them while the run is
 * live.
 */
export interface JobStamps {
  readonly id: string;
  readonly stamps: FileStamps;
}

export interface NewJob extends IssuedJob {
  /** Position among the run's jobs. */
  readonly ordinal: number;
  /** True if the job has capacity and is submitted next. Otherwise the job waits for its share. */
  readonly isAdmitted: boolean;
  /** Why the job runs again, or does not. */
  readonly decision?: Decision;
  /** Set if the job does not run, because an earlier run's job has done its work. */
  readonly taken?: Taken;
}

export interface Taken {
  /** Id of the job that ran the command. */
  readonly from: string;
  readonly stamps: FileStamps | null;
  readonly seq: number;
}

/** An event to record, to which the engine has not responded yet. */
export interface NewEvent {
  readonly kind: string;
  readonly body: unknown;
  /** Set if the event is the end of a job. */
  readonly ended?: EndedJob;
  readonly stamps?: FileStamps | undefined;
  readonly contents?: JobContentsRow | undefined;
}

/** Returns an empty record to follow `progress`. */
export function emptyRecord({ nextSeq }: Progress): RunRecord {
  return { firstSeq: nextSeq, events: [], ended: [], stamps: [], contents: [], jobs: [], admitted: [] };
}

/** Returns the record of some events with the engine's responses. `granted` holds the ids of new jobs with capacity. */
export function recordOf(
  before: Progress,
  happened: readonly NewEvent[],
  responses: Responses,
  granted: ReadonlySet<string>,
): RunRecord {
  const { nextSeq: firstSeq } = before;
  const events = happened.map((event, index) => recordedEvent(event, responses[index] ?? []));
  const ended = happened.flatMap((event, index) =>
    event.ended ? [{ ...event.ended, seq: firstSeq + index }] : [],
  );
  const stamps = happened.flatMap((event) =>
    event.ended && event.stamps ? [{ id: event.ended.id, stamps: event.stamps }] : [],
  );
  const contents = happened.flatMap((event) => (event.contents ? [event.contents] : []));
  const jobsTotal = responses.flat().findLast((one) => one.do === "expect")?.jobs;
  const moveTo = happened.some(({ kind }) => kind === BEGUN) ? "running" : undefined;
  const jobs = newJobs(before, responses, granted);
  const { drawn, marks } = graphIn(responses.flat());
  return { firstSeq, events, ended, stamps, contents, jobs, admitted: [], jobsTotal, drawn, marks, moveTo };
}

/** Merges the drawings of the instructions into one, and collects the marks of nodes. */
function graphIn(instructions: readonly IssuedInstruction[]): Pick<RunRecord, "drawn" | "marks"> {
  const drawings = instructions.filter((one) => one.do === "draw");
  const marks = instructions.filter((one) => one.do === "mark");
  const nodes = drawings.flatMap((drawing) => drawing.nodes);
  const edges = drawings.flatMap((drawing) => drawing.edges);
  return { drawn: drawings.length > 0 ? { nodes, edges } : undefined, marks };
}

/** Returns the jobs issued by the responses, numbered in order of issue. */
function newJobs(
  { nextSeq, jobCount }: Progress,
  responses: Responses,
  granted: ReadonlySet<string>,
): readonly NewJob[] {
  const jobs: Omit<NewJob, "ordinal">[] = responses.flatMap((instructions, index) =>
    instructions.flatMap((one) => {
      if (one.do === "submit") {
        const { id, job, decision } = one;
        return [{ id, job, isAdmitted: granted.has(id), ...(decision && { decision }) }];
      }
      if (one.do !== "take-over") return [];
      const { id, job, from, decision, stamps } = one;
      return [{ id, job, decision, isAdmitted: false, taken: { from, stamps, seq: nextSeq + index } }];
    }),
  );
  return jobs.map((job, index) => ({ ...job, ordinal: jobCount + index }));
}

function recordedEvent({ kind, body }: NewEvent, instructions: readonly IssuedInstruction[]): RecordedEvent {
  return { kind, body, lines: instructions.flatMap((instruction) => linesOf(body, instruction)) };
}

/** Returns the engine's own lines, and for a failure its reason with the job's last lines of output. */
function linesOf(body: unknown, instruction: IssuedInstruction): LogEntry[] {
  if (instruction.do === "log") return [instruction];
  if (!isEnding(instruction) || instruction.do === "finish") return [];
  const { lastLines } = (body ?? {}) as { lastLines?: readonly string[] };
  const printed = lastLines?.length ? ["The last lines that it printed:", ...lastLines] : [];
  return [instruction.reason, ...printed].map((line) => ({ logger: "root", level: "ERROR", line }));
}
