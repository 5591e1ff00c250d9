import type { FileAsk } from "#engines/engine";
import type { BoundTool } from "#engines/cwl/command/tool-context";
import type { ToolEnd } from "#engines/cwl/outputs/collect";
import { type Facts, NO_FACTS } from "#engines/cwl/values/facts";
import { emptyList, type WideList } from "#engines/wide-list";
import type { Decision } from "#workflow/job/decision";

/** The state of a run: a tree of tasks. Each task runs one process once. Plain JSON. */
export interface CwlState {
  readonly phase: "running" | "publishing" | "over";
  readonly root: Task;
  /** Stack of addresses with work to do. */
  readonly ready: readonly Address[];
  /** Number of jobs and asks without an answer. */
  readonly open: number;
  /** Number of ids issued before. */
  readonly ids: number;
  /** Asks without an answer, by the numbers in their ids. A run may have a thousand at once. */
  readonly asks: WideList<OpenAsk>;
  /** Number of jobs known to belong to the run. */
  readonly jobs: number;
  /** Outputs of the main process during publication. */
  readonly results?: Results;
  /** The first failure of a run that continues with independent steps. */
  readonly failure?: Failure;
}

export interface OpenAsk {
  readonly id: string;
  /** Null if the ask belongs to the outputs of the run, or only lets the engine continue. */
  readonly address: Address | null;
  readonly ask: FileAsk | null;
  /** True if a job of an earlier run is looked for. */
  readonly finds?: true;
}

export interface Results {
  readonly values: Readonly<Record<string, unknown>>;
  readonly facts: Facts;
  readonly pending: number;
  /** True while files are being published, after all facts are known. */
  readonly isPublishing: boolean;
}

/**
 * The address of a task or a step: `[]` is the main process, `[2]` its third step, `[2, 0]` the first task of the step,
 * `[2, 0, 1]` a step inside the task.
 */
export type Address = readonly number[];

export type Task = Leaf | Scope;

/** A tool or an expression, or a workflow with incomplete inputs. */
export interface Leaf {
  readonly kind: "leaf";
  readonly facts: Facts;
  /** Number of asks without an answer. */
  readonly pending: number;
  /** Set from the submission of the job on. */
  readonly bound?: BoundTool;
  /** The folder of a taken-over job. Default: the task's own folder. */
  readonly folder?: string;
  /** Number of the attempt, from the second on. */
  readonly attempt?: number;
  /** Decision and delay of a further attempt. */
  readonly why?: Decision;
  readonly delayMs?: number;
  /** Set after the end of the job, during the collection of outputs. */
  readonly ended?: Omit<ToolEnd, "bound">;
  /** Why the job has failed. */
  readonly failure?: Failure;
}

export interface Failure {
  readonly sentence: string;
  /** The key of the job. */
  readonly job: string;
}

/** A task before any work. */
export const NEW_LEAF: Leaf = { kind: "leaf", facts: NO_FACTS, pending: 0 };

/** A running workflow. */
export interface Scope {
  readonly kind: "scope";
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly steps: readonly StepState[];
  readonly left: number;
}

export type StepState =
  | { readonly kind: "waiting" }
  | RunningStep
  | { readonly kind: "done"; readonly outputs: Readonly<Record<string, unknown>> };

export interface RunningStep {
  readonly kind: "running";
  /** Values of the step's inputs, before scattering. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Widths of the scatter: a number, or one number per input of a cross product. Empty if there is no scatter. */
  readonly shape: readonly number[];
  readonly width: number;
  /** The next task to begin. */
  readonly next: number;
  readonly left: number;
  readonly skipped: number;
  readonly tasks: WideList<Task>;
  readonly results: WideList<Readonly<Record<string, unknown>>>;
}

/** Returns a step without begun tasks. */
export function startedStep(
  inputs: RunningStep["inputs"],
  shape: readonly number[],
  width: number,
): RunningStep {
  return {
    kind: "running",
    inputs,
    shape,
    width,
    next: 0,
    left: width,
    skipped: 0,
    tasks: emptyList(),
    results: emptyList(),
  };
}
