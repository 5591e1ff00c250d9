import type { LogLine } from "#engines/log-line";
import type { Evaluate } from "#plumbing/javascript/evaluate";
import type { ChannelAsk } from "#engines/channel-ask";
import type { Checksum, Listing, Look } from "#engines/seen-files";
import type { Graph, NodeMark } from "#workflow/graph";
import type { ImageChoice } from "#workflow/job/image-digest";
import type { Algorithm, BackendChoice, Job, JobEnd, JobStatus } from "#workflow/job/job";
import type { Documents, Preparation } from "#engines/documents";
import type { DryRun } from "#engines/dry-run";
import type { Problem } from "#engines/problem";
import type { Judgement } from "#engines/reuse";
import type { Decision, Difference } from "#workflow/job/decision";
import type { JobContents } from "#workflow/job/job-contents";
import type { Language } from "#workflow/language";
import type { OutstandingLimit } from "#engines/outstanding";
import type { KeptSettings } from "#workflow/run/kept-settings";
import type { Specification } from "#workflow/specification/specification";
import type { FileStamps, InputStamp } from "#workflow/job/file-stamps";

export type { ChannelAsk } from "#engines/channel-ask";
export type { Checksum, ListedEntry, Listing, Look } from "#engines/seen-files";
export type { Evaluate, Evaluation } from "#plumbing/javascript/evaluate";

/**
 * The contract of an engine. An engine decides what comes next in a run and does nothing else: it is pure and
 * synchronous, and knows no disk, network, clock, randomness or database. It asks for outside facts by an instruction
 * with an id, and the answer arrives as an event with that id. The runner records an event, applies it, and carries out
 * the resulting instructions.
 *
 * Promises that every engine keeps; `contract-suite.ts` proves them:
 * - the same workflow and the same events in the same order give the same states and instructions, on any machine;
 * - the state is plain JSON, is never changed in place, and is all that is needed to continue: a run that is resumed
 *   from a copy of its state equals one that never stopped;
 * - the keys of jobs and the ids of asks are unique within the run, and each is issued once;
 * - no more jobs and asks are outstanding together than the run may have (`placesLeft`);
 * - the state does not depend on where the workspace lies;
 * - each job belongs to a node of the graph, which was drawn before the job was issued or with it;
 * - no instruction follows `finish` or `fail`, whichever events are applied;
 * - an event about something unknown, or already answered, changes nothing;
 * - as long as the run has not ended, something is outstanding: a job or an answer.
 */
export interface Engine<State = unknown> {
  readonly language: Language;
  /** Raised if instructions, expression steps or the shape of the state may change for the same events. */
  readonly version: number;
  /** Returns every problem of the specification that would stop the run, before the start. */
  check(request: RunRequest): readonly Problem[];
  /**
   * Lists the documents needed next, until the engine has made a model or found problems. An engine with `prepare`
   * judges parameters here, because documents may declare them.
   */
  prepare?(request: RunRequest, documents: Documents): Preparation;
  /**
   * Computes what follows from the input alone. Called at each resume. The result is not part of the state.
   */
  load(input: EngineInput, evaluate: Evaluate): LoadedWorkflow<State>;
  /** Set if a restart in the language can reuse work of an earlier run. */
  readonly reuse?: Reuse;
  /** Set if only a program can tell the jobs of a restart. */
  readonly dryRun?: DryRun<EngineInput>;
}

/** Decides about the reuse of jobs. The same functions predict a restart's decisions and make them at the start. */
export interface Reuse {
  /** Returns the initial question about the files. */
  ask(request: RunRequest): Extract<Ask, { do: "stamp" }>;
  /** Judges each job of the restart, in order. */
  judge(request: RunRequest, stamped: Stamped | undefined): readonly Judgement[];
  /** Returns the files of the earlier run's workspace that a rerun must not have. */
  leftovers(request: RunRequest, stamped: Stamped | undefined): Leftovers;
}

/** Paths of files made by rerun jobs. */
export interface Leftovers {
  readonly made: readonly string[];
  /** Files that either the first job made or that existed before the job. */
  readonly perhapsMade: readonly string[];
}

export interface LoadedWorkflow<State = unknown> {
  start(): Step<State>;
  apply(state: State, event: EngineEvent): Step<State>;
  /** Returns the part of the run's graph known from the input. `draw` adds the rest during the run. */
  graph(): Graph;
}

/** A user's request to run a workflow. */
export interface RunRequest extends Omit<KeptSettings, keyof OutstandingLimit> {
  readonly specification: Specification;
  /** Parameters given at start. They override the parameters of the specification. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** Set if the run is a restart. */
  readonly restart?: Restart;
}

export interface EngineInput extends RunRequest {
  readonly run: EngineRun;
  /** The model made by `prepare` at the start. Optional. Its `remoteInputs` are fetched before the first job. */
  readonly model?: unknown;
}

/** A run as seen by the engine. */
export interface EngineRun extends OutstandingLimit {
  readonly id: string;
  /** `fit.3.1` */
  readonly name: string;
  /** `3.1`: unique among the runs of a workspace. */
  readonly number: string;
  /**
   * Absolute path of the workspace, the same for every backend. Only commands may contain it: states and asks hold
   * relative paths, so that a run can be resumed after its data folder has moved.
   */
  readonly workspaceFolder: string;
}

export interface Restart {
  /** The last started run of the workspace, or null. */
  readonly previous: PreviousRun | null;
  /** True if everything is to run, even if earlier results still hold. */
  readonly fresh: boolean;
  /** The step from which on all steps run again. */
  readonly fromStep: string | null;
}

/** The previous run according to the records. An ended run is the same on every replay. */
export interface PreviousRun extends Pick<RunRequest, "specification" | "parameters" | "options"> {
  /** `w.1` */
  readonly name: string;
  /** The declared inputs as received by the engine; null if the engine did not receive them. */
  readonly inputs: readonly InputStamp[] | null;
  /** True if a user changed files of the workspace during the run. */
  readonly hasExternalChange: boolean;
  /** Stamps of all files before the first command; null if not recorded. */
  readonly stamps: Readonly<Record<string, string>> | null;
  /** Intermediate files removed at the end of the run. Optional. */
  readonly removed?: readonly string[];
  /** Jobs in the order of their submission. */
  readonly jobs: readonly PreviousJob[];
}

export interface PreviousJob {
  /** Id of the job that really ran, in this run or in an earlier run. */
  readonly id: string;
  readonly key: string;
  readonly status: JobStatus;
  readonly reason: string | null;
  readonly stamps: FileStamps | null;
  /** Digest of the job's image. Null if the job ran without a container, or has not ended. */
  readonly imageDigest: string | null;
}

export interface Step<State> {
  readonly state: State;
  readonly instructions: readonly Instruction[];
}

export type Instruction = Notice | Submit | TakeOver | Ask | Ending;

export type Notice =
  /** The expected number of jobs of the run. */
  | { readonly do: "expect"; readonly jobs: number }
  /** Adds nodes known only during the run to the graph. A node is drawn once, after its parent or together with it. */
  | ({ readonly do: "draw" } & Graph)
  /** Sets the state of a node that its jobs alone do not determine. The last mark of a node counts. */
  | { readonly do: "mark"; readonly node: string; readonly as: NodeMark }
  /** Names files of earlier jobs not read by later jobs. */
  | { readonly do: "release"; readonly paths: readonly string[] }
  | LogLine;

/** Answered by `job-ended`. Afterwards, the same key may be issued again with the next attempt. */
export interface Submit {
  readonly do: "submit";
  readonly job: Job;
  /** The reason of the job, if not obvious: the job runs again. */
  readonly decision?: Decision;
}

/** A job replaced by a job of an earlier run with the same work. It counts as finished. */
export interface TakeOver {
  readonly do: "take-over";
  readonly job: Job;
  /** Id of the job that really ran. */
  readonly from: string;
  readonly decision: Decision;
  readonly stamps: FileStamps | null;
}

/** A request about the files of the run, to a job, or for time. Each is answered once. */
export type Ask = FileAsk | FindDone | ChannelAsk | ContinueLater;

/**
 * Answered immediately by `went-on`, never refused. An engine with much to compute does a part and asks to continue.
 * Between the parts, the engine can be stopped, other runs have their turn, and progress is recorded.
 */
export interface ContinueLater {
  readonly do: "go-on";
  readonly id: string;
}

/**
 * A request about the files of the run, answered by the event named here or by `refused`. After a crash the runner
 * repeats asks without a recorded answer. Paths are relative to the workspace. Paths to read may also be absolute, in a
 * folder that all runs may read, shown to jobs by `--mount`. Links are reported and never followed. An ask names at
 * most `ASK_MAX_FILES` files.
 */
export type FileAsk =
  /**
   * `listed`: at most `LISTED_MAX_ENTRIES` entries. The folder `""` is the workspace itself; a missing folder is
   * refused. `after` continues a truncated listing, from the last path of the listing.
   */
  | {
      readonly do: "list";
      readonly id: string;
      readonly folder: string;
      readonly deep: boolean;
      readonly after?: string;
    }
  /** `looked`: the existing entry at each path. */
  | { readonly do: "look"; readonly id: string; readonly paths: readonly string[] }
  /** `read`: the file's beginning as text, at most `READ_MAX_BYTES`. */
  | { readonly do: "read"; readonly id: string; readonly path: string; readonly maxBytes: number }
  /** `checksummed`, with SHA-256 by default. */
  | {
      readonly do: "checksum";
      readonly id: string;
      readonly paths: readonly string[];
      readonly algorithm?: Algorithm;
    }
  /** `written`: each file is whole or absent; existing files are replaced. */
  | { readonly do: "write"; readonly id: string; readonly files: readonly Literal[] }
  /**
   * `published`: each file is put in the place of the run's outputs, atomically, with its mode. `isSettled` says that
   * the files are no longer written: both names may share one file. Otherwise the files are copied.
   */
  | {
      readonly do: "publish";
      readonly id: string;
      readonly files: readonly Publication[];
      readonly algorithm?: Algorithm;
      readonly isSettled?: true;
    }
  /** `stamped`: the state of the declared inputs, and of everything else if `isWhole` is set. */
  | {
      readonly do: "stamp";
      readonly id: string;
      readonly inputs: readonly string[];
      readonly isWhole: boolean;
      /** Images whose current digests are requested. */
      readonly images?: readonly ImageChoice[];
    };

/**
 * Answered by `found-done`: the last finished job with the key in the workspace, compared with the new job. If `into`
 * is given and the found job differs, an equal job of another run of the user is also looked for. Files of the found
 * job are copied into a folder below `into`.
 */
export interface FindDone {
  readonly do: "find-done";
  readonly id: string;
  readonly key: string;
  readonly contents: JobContents;
  /** The requested backend of the job. Default: the server's first backend. */
  readonly backend?: BackendChoice;
  readonly into?: string;
}

/** A job of an earlier run with the same key. A job may be reused if all facts are equal. */
export interface ReusableJob {
  /** Id of the job that really ran, perhaps in an earlier run. */
  readonly from: string;
  /** Name of the job's run: `w.1`. */
  readonly run: string;
  /** Facts on which the job depended, and stamps of its output files, with values from the job and current values. */
  readonly facts: readonly Difference[];
  /** Report of the job's end. Absent if a fact differs. */
  readonly left?: {
    /** Folder of the job in the workspace, as named in `collect`. */
    readonly folder: string;
    readonly exitCode: number | null;
    readonly collected: Collected;
  };
}

/** Maximum number of files in an ask. */
export const ASK_MAX_FILES = 10_000;
/** Limit on the entries of one listing: an event must still fit into a database row. */
export const LISTED_MAX_ENTRIES = 10_000;
/** Maximum size of a text read by one ask. */
export const READ_MAX_BYTES = 16 << 20;

export interface Literal {
  readonly path: string;
  readonly text: string;
}

export interface Publication {
  readonly from: string;
  readonly to: string;
}

export type Ending =
  /** `outputs` holds the results of the run, in the language's own shape: plain JSON. */
  | { readonly do: "finish"; readonly outputs?: Outputs }
  /** `job` names the job that caused the failure, if any. `outputs` holds the available results. */
  | { readonly do: "fail"; readonly reason: string; readonly job?: string; readonly outputs?: Outputs };

type Outputs = Readonly<Record<string, unknown>>;

export type EngineEvent = JobEndEvent | Answer;

export interface JobEndEvent {
  readonly kind: "job-ended";
  readonly key: string;
  /** Number of the attempt, from the second on. */
  readonly attempt?: number;
  readonly end: JobEnd;
  /** The last lines of a failed job: a bounded number of bounded lines. */
  readonly lastLines: readonly string[];
  /** The requested information about the job's files. Undefined if the folder does not exist. */
  readonly collected?: Collected;
}

/** Information about the files of a job, sent with its end. Files are ordered by path. */
export interface Collected {
  readonly listing?: Listing;
  readonly sums?: readonly Checksum[];
  readonly texts?: readonly Text[];
  /** True if files are missing from `sums` or `texts` because of limits on number or total size. */
  readonly isCut: boolean;
}

/** The beginning of a file; `bytes` is the size of the whole file. */
interface Text {
  readonly path: string;
  readonly text: string;
  readonly bytes: number;
}

export type Answer =
  | { readonly kind: "listed"; readonly id: string; readonly listing: Listing }
  | { readonly kind: "looked"; readonly id: string; readonly files: readonly Look[] }
  /** `bytes` is the size of the whole file. `text` is the beginning of the file. */
  | { readonly kind: "read"; readonly id: string; readonly text: string; readonly bytes: number }
  | { readonly kind: "checksummed"; readonly id: string; readonly files: readonly Checksum[] }
  | { readonly kind: "written"; readonly id: string }
  | { readonly kind: "published"; readonly id: string; readonly files: readonly Checksum[] }
  | Stamped
  /** Null if no job with the key has finished in the workspace, or if its inputs cannot be compared. */
  | { readonly kind: "found-done"; readonly id: string; readonly found: ReusableJob | null }
  /** `to` is the position behind the last of the lines. */
  | { readonly kind: "heard"; readonly id: string; readonly lines: readonly string[]; readonly to: number }
  | { readonly kind: "told"; readonly id: string }
  | { readonly kind: "went-on"; readonly id: string }
  /** The ask cannot be answered: a missing file, a path that leads outside, or an exceeded limit. */
  | { readonly kind: "refused"; readonly id: string; readonly reason: string };

export interface Stamped {
  readonly kind: "stamped";
  readonly id: string;
  /**
   * Declared inputs as files: a declared folder appears as its files. Null if there are too many, or if they are
   * unreadable.
   */
  readonly inputs: readonly InputStamp[] | null;
  /** Stamps by path. Null if stamps were not requested, or are too many. */
  readonly stamps: Readonly<Record<string, string>> | null;
  /** Digests of the images, in the order of the ask, as `imageDigest` of a backend returns them. */
  readonly images?: readonly (string | null)[];
}

const ASK_WORDS: ReadonlySet<string> = new Set([
  "list",
  "look",
  "read",
  "checksum",
  "write",
  "publish",
  "stamp",
  "find-done",
  "hear",
  "tell",
  "go-on",
] satisfies Ask["do"][]);

export function isAsk(instruction: Instruction): instruction is Ask {
  return ASK_WORDS.has(instruction.do);
}

export function isEnding(instruction: Instruction): instruction is Ending {
  return instruction.do === "finish" || instruction.do === "fail";
}

/** The evaluator of languages without expressions. */
export const evaluatesNothing: Evaluate = () => ({ ok: false, reason: "This language has no expressions." });
