import type { Job, JobEnd, JobStatus } from "#workflow/job";
import type { Judgement } from "#engines/reuse";
import type { Language } from "#workflow/language";
import type { Retries } from "#workflow/retries";
import type { Specification } from "#workflow/specification/specification";
import type { Trace } from "#workflow/trace";

/**
 * The contract of an engine. An engine says what comes next in a run and nothing else: it is pure and synchronous,
 * and knows no disk, network, clock, randomness or database. What it must learn from the world it asks for by an
 * instruction with an id, and the answer comes in as an event with that id. The runner records an event, applies it,
 * and carries out the instructions that come back.
 *
 * Promises that every engine keeps; `contract-suite.ts` proves them:
 * - the same workflow and the same events in the same order give the same states and instructions, on any machine;
 * - the state is plain JSON, is never changed in place, and is all that is needed to go on: a run that is taken up from
 *   a copy of it equals one that never stopped;
 * - a job's key and the id of what is asked are unique within the run and are handed out once;
 * - after `finish` or `fail` no instruction follows, whatever is applied;
 * - an event about something that is unknown or has been answered already changes nothing;
 * - as long as the run has not ended, something is outstanding: a job or an answer.
 */
export interface Engine<State = unknown> {
  readonly language: Language;
  /** Raised whenever the same events may give other instructions than before, or the state another shape. */
  readonly version: number;
  /** Everything about the specification that would keep the run from going on, judged before it starts. */
  check(input: EngineInput): readonly Problem[];
  /** What can be worked out from the input alone: once for each time that a run is taken up, and kept out of the state. */
  load(input: EngineInput, evaluate: Evaluate): LoadedWorkflow<State>;
  /** For a language in which a restart can take over what an earlier run has done. */
  readonly reuse?: Reuse;
}

/** The same functions say beforehand what a restart takes over, and decide it when it begins. */
export interface Reuse {
  /** What has to be known of the files. */
  ask(input: EngineInput): Extract<Ask, { do: "trace" }>;
  /** For each job that the restart is about, in order. */
  judge(input: EngineInput, traced: Traced | undefined): readonly Judgement[];
  /** For a rerun: which files in the workspace of the earlier run its own has to be without. */
  leftovers(input: EngineInput, traced: Traced | undefined): Leftovers;
}

/** Paths of files that jobs made which run again. */
export interface Leftovers {
  readonly made: readonly string[];
  /** Made by the first job, or there before it. */
  readonly perhapsMade: readonly string[];
}

export interface LoadedWorkflow<State = unknown> {
  start(): Step<State>;
  apply(state: State, event: EngineEvent): Step<State>;
  /** The picture of the run as it stands. */
  graph(state: State): Graph;
}

export interface EngineInput {
  readonly specification: Specification;
  /** Given at start: they win over the specification's own. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** What holds for steps that say nothing of it: as the server had it when the run was started. Absent: never. */
  readonly retries?: Retries;
  /** The run is a restart. */
  readonly restart?: Restart;
}

export interface Restart {
  /** What the last run of the same workspace did; null when there is none that began. */
  readonly previous: PreviousRun | null;
  /** Everything is to run, whatever still holds. */
  readonly fresh: boolean;
  /** The step from which on everything is to run. */
  readonly fromStep: string | null;
}

/** As it stands in the records: it has ended, so it is the same on every replay. */
export interface PreviousRun extends Pick<EngineInput, "specification" | "parameters" | "options"> {
  /** `w.1` */
  readonly name: string;
  /** The declared inputs as its engine was told of them; null when it was not. */
  readonly inputs: readonly InputTrace[] | null;
  /** Somebody changed files of the workspace while it went on. */
  readonly isDisturbed: boolean;
  /** How everything looked before its first command; null when nobody looked. */
  readonly stamps: Readonly<Record<string, string>> | null;
  /** In the order in which they were issued. */
  readonly jobs: readonly PreviousJob[];
}

export interface PreviousJob {
  /** Of the job that really ran: in this run, or in one before it. */
  readonly id: string;
  readonly key: string;
  readonly status: JobStatus;
  readonly reason: string | null;
  readonly trace: Trace | null;
}

/** What is wrong, and where in the specification (`workflow.specification.steps.0.commands.1`). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

export interface Step<State> {
  readonly state: State;
  readonly instructions: readonly Instruction[];
}

/**
 * Evaluates an expression of the workflow. A pure function: the same source and input give the same result on every
 * replay, which is why its budget is counted in the interpreter's steps and never in time.
 */
export type Evaluate = (source: string, input: unknown, maxSteps: number) => Evaluation;

export type Evaluation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

export type Instruction = Notice | Submit | TakeOver | Ask | Ending;

export type Notice =
  /** How many jobs the run will have as far as is known now. */
  | { readonly do: "expect"; readonly jobs: number }
  /** A line of the engine's log; `logger` is the name that REANA's engines of this language log under. */
  | { readonly do: "log"; readonly logger: string; readonly level: "INFO" | "ERROR"; readonly line: string };

/**
 * Answered by `job-ended` with the job's key and attempt. A key may be handed out once more, with the next attempt, in
 * answer to the end of the attempt before.
 */
export interface Submit {
  readonly do: "submit";
  readonly job: Job;
}

/** A job that is not run, because one of an earlier run has done what it would do: it counts as finished. */
export interface TakeOver {
  readonly do: "take-over";
  readonly job: Job;
  /** The job that really ran. */
  readonly from: string;
  /** For a person. */
  readonly reason: string;
  readonly trace: Trace | null;
}

/**
 * What an engine asks of the files of the run; each is answered once, by the event that is named here or by `refused`.
 * After a crash the runner asks again for what has no recorded answer. Paths are relative to the workspace.
 */
export type Ask =
  /** `listed`. The folder `""` is the workspace itself; a folder that is not there is refused. */
  | { readonly do: "list"; readonly id: string; readonly folder: string; readonly deep: boolean }
  /** `read`: the file's beginning as text. */
  | { readonly do: "read"; readonly id: string; readonly path: string; readonly maxBytes: number }
  /** `checksummed` */
  | { readonly do: "checksum"; readonly id: string; readonly paths: readonly string[] }
  /** `written`: each file is whole or absent; files that are there are replaced. */
  | { readonly do: "write"; readonly id: string; readonly files: readonly Literal[] }
  /** `published`: each file is copied to where the run's outputs are to be found, whole or absent. */
  | { readonly do: "publish"; readonly id: string; readonly files: readonly Publication[] }
  /** `traced`: how the declared inputs look, and everything else too if that is asked for. */
  | {
      readonly do: "trace";
      readonly id: string;
      readonly inputs: readonly string[];
      readonly isWhole: boolean;
    };

export interface Literal {
  readonly path: string;
  readonly text: string;
}

export interface Publication {
  readonly from: string;
  readonly to: string;
}

export type Ending =
  /** `outputs` is what the run has made, in the language's own shape: plain JSON. */
  | { readonly do: "finish"; readonly outputs?: Readonly<Record<string, unknown>> }
  /** `job` names the job that the failure came from, where there is one. */
  | { readonly do: "fail"; readonly reason: string; readonly job?: string };

export type EngineEvent = JobEnded | Answer;

export interface JobEnded {
  readonly kind: "job-ended";
  readonly key: string;
  /** Absent for the first. */
  readonly attempt?: number;
  readonly end: JobEnd;
  /** The last lines that a job printed which did not succeed; a bounded number of bounded lines. */
  readonly lastLines: readonly string[];
  /** What lies in the job's output folder, if the job names one that is there. */
  readonly listing?: Listing;
}

export type Answer =
  | { readonly kind: "listed"; readonly id: string; readonly listing: Listing }
  /** `bytes` is the size of the whole file, of which `text` holds the beginning. */
  | { readonly kind: "read"; readonly id: string; readonly text: string; readonly bytes: number }
  | { readonly kind: "checksummed"; readonly id: string; readonly files: readonly Checksum[] }
  | { readonly kind: "written"; readonly id: string }
  | { readonly kind: "published"; readonly id: string; readonly files: readonly Checksum[] }
  | Traced
  /** What was asked for cannot be had: no such file, a path that leads outside, too much at once. */
  | { readonly kind: "refused"; readonly id: string; readonly reason: string };

export interface Traced {
  readonly kind: "traced";
  readonly id: string;
  /** Files; a declared folder is told by those in it. Null when they are too many, or cannot be read. */
  readonly inputs: readonly InputTrace[] | null;
  /** By path. Null when it was not asked for, or is too much. */
  readonly stamps: Readonly<Record<string, string>> | null;
}

export interface InputTrace {
  readonly path: string;
  /** Equal as long as the file has surely not been touched. */
  readonly stamp: string;
  /** Null for a large file. */
  readonly sha256: string | null;
}

/** In the order of the paths, which are relative to the workspace. */
export interface Listing {
  readonly entries: readonly ListedEntry[];
  /** There is more than is listed. */
  readonly isCut: boolean;
}

export interface ListedEntry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly bytes: number;
}

export interface Checksum {
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** The picture: what the steps are, how they hang together, and which jobs each has led to so far. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  /** The node that this one is drawn inside of: a workflow within the workflow. */
  readonly parent: string | null;
  readonly progress: "waiting" | "begun" | "done" | "skipped";
  readonly jobs: readonly string[];
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

const ASK_WORDS: ReadonlySet<string> = new Set([
  "list",
  "read",
  "checksum",
  "write",
  "publish",
  "trace",
] satisfies Ask["do"][]);

export function isAsk(instruction: Instruction): instruction is Ask {
  return ASK_WORDS.has(instruction.do);
}

export function isEnding(instruction: Instruction): instruction is Ending {
  return instruction.do === "finish" || instruction.do === "fail";
}

/** For languages that have no expressions. */
export const evaluatesNothing: Evaluate = () => ({ ok: false, reason: "This language has no expressions." });
