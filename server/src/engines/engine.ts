import type { Job, JobEnd } from "#workflow/job";
import type { Language } from "#workflow/language";
import type { Specification } from "#workflow/specification/specification";

/**
 * The contract of an engine. An engine says what comes next in a run and nothing else: it is pure and synchronous,
 * and knows no disk, network, clock, randomness or database. What it must learn from the world comes in as an event.
 * The runner records an event, applies it, and carries out the instructions that come back.
 *
 * Promises that every engine keeps:
 * - the same workflow and the same events in the same order give the same states and instructions, on any machine;
 * - the state is plain JSON;
 * - a job's key is unique within the run and is handed out once;
 * - after `finish` or `fail` no instruction follows, whatever is applied;
 * - an event about a job that is unknown or has ended already changes nothing.
 */
export interface Engine<State = unknown> {
  readonly language: Language;
  /** Raised whenever the same events may give other instructions than before. */
  readonly version: number;
  /** Everything about the specification that would keep the run from going on, judged before it starts. */
  check(input: EngineInput): readonly Problem[];
  start(input: EngineInput): Step<State>;
  apply(state: State, event: EngineEvent): Step<State>;
}

export interface EngineInput {
  readonly specification: Specification;
  /** Given at start: they win over the specification's own. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
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

export type Instruction =
  /** How many jobs the run will have as far as is known now. */
  | { readonly do: "expect"; readonly jobs: number }
  | { readonly do: "submit"; readonly job: Job }
  /** A line of the engine's log; `logger` is the name that REANA's engines of this language log under. */
  | { readonly do: "log"; readonly logger: string; readonly level: "INFO" | "ERROR"; readonly line: string }
  | { readonly do: "finish" }
  /** `job` names the job that the failure came from, where there is one. */
  | { readonly do: "fail"; readonly reason: string; readonly job?: string };

export interface JobEnded {
  readonly kind: "job-ended";
  readonly key: string;
  readonly end: JobEnd;
  /** The last lines that a job printed which did not succeed; a bounded number of bounded lines. */
  readonly lastLines: readonly string[];
}

export type EngineEvent = JobEnded;
