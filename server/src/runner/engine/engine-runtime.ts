import {
  type Engine,
  type EngineEvent,
  type EngineInput,
  type Evaluate,
  evaluatesNothing,
  type Instruction,
  type Step,
} from "#engines/engine";
import type { Graph } from "#workflow/graph";
import { messageOf } from "#plumbing/errors";
import { BudgetExceeded, createStepBudget } from "#runner/engine/step-budget";
import { answerQuestion, askingBy, type EngineQuestions } from "#runner/engine/engine-questions";

/**
 * Runs an engine in this process, or in worker processes (`worker-runtime.ts`) if it evaluates expressions and might
 * block the server. The contract of the engine is the same; only the calls become asynchronous.
 */
export interface EngineRuntime {
  /** Returns what answers the questions of a user. Users do not wait for each other's questions. */
  questionsOf(ownerId: string): EngineQuestions;
  /** Loads the workflow of one run into the engine. */
  open(input: EngineInput, options?: OpenOptions): Promise<EngineSession>;
  /**
   * Returns the ids of runs whose calls wait while the processes work for other runs. If absent, no run ever
   * waits.
   */
  waitingRuns?(): readonly string[];
}

export interface OpenOptions {
  /** The owner of the run. Users share the processes fairly. */
  readonly ownerId: string;
  /** Closes the session, even if it is still being opened. */
  readonly signal?: AbortSignal;
}

/**
 * Reports that the engine cannot continue this run, after exceeding its time or memory, or throwing an error.
 * A repetition would fail too, so the run fails with this message. Every call of a runtime may reject with
 * this error.
 */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
}

/**
 * Reports that the worker of this session has ended, because another run exceeded its limits or left during a
 * long call. This run is resumed at once, from its recorded events, in a new session.
 */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
}

/** The engine of one run, with the run's current state. */
export interface EngineSession {
  readonly version: number;
  start(): Promise<readonly Instruction[]>;
  /** Returns the instructions that follow from each event, in order. */
  apply(events: readonly EngineEvent[]): Promise<readonly (readonly Instruction[])[]>;
  /**
   * Returns the state as JSON, for a snapshot. The text is made and parsed where the engine runs: a state of many
   * megabytes would hold up the server.
   */
  state(): Promise<string>;
  /** Continues from a kept state. */
  restore(state: string): Promise<void>;
  /** Returns the graph as far as it follows from the input. */
  graph(): Promise<Graph>;
  /**
   * Returns the processor time of the calls since the previous request, including calls whose results were
   * discarded. 0 for an engine that evaluates no expressions.
   */
  takeUsedMs(): number;
  /** Forgets the run. Calls that have not begun reject. */
  close(): Promise<void>;
}

export function inProcessRuntime(engine: Engine, evaluate: Evaluate = evaluatesNothing): EngineRuntime {
  const questions = askingBy(async (question) => orFailure(() => answerQuestion(engine, question)));
  return {
    questionsOf: () => questions,
    async open(input) {
      const session = orFailure(() => openSession(engine, input, evaluate));
      return {
        version: engine.version,
        start: async () => session.start(),
        apply: async (events) => session.apply(events),
        state: async () => session.state(),
        restore: async (state) => session.restore(state),
        graph: async () => orFailure(() => session.graph()),
        takeUsedMs: () => 0,
        close: async () => undefined,
      };
    },
  };
}

/** The synchronous session that both runtimes are built on. */
export interface SyncSession {
  start(): readonly Instruction[];
  apply(events: readonly EngineEvent[]): readonly (readonly Instruction[])[];
  state(): string;
  restore(state: string): void;
  graph(): Graph;
}

/** The state of a session, as a snapshot keeps it. */
interface SessionState {
  readonly steps: number;
  readonly engine: unknown;
}

/** Opens a session of an engine. `maxSteps` limits the total steps of the run's expressions. */
export function openSession(
  engine: Engine,
  input: EngineInput,
  evaluate: Evaluate,
  maxSteps?: number,
): SyncSession {
  const budget = createStepBudget(evaluate, maxSteps);
  const workflow = engine.load(input, budget.evaluate);
  let state: unknown = null;
  const take = (step: () => Step<unknown>): readonly Instruction[] => {
    const next = guarded(state, step);
    state = next.state;
    return next.instructions;
  };
  return {
    start: () => take(() => workflow.start()),
    apply: (events) => events.map((event) => take(() => workflow.apply(state, event))),
    state: () => JSON.stringify({ steps: budget.steps(), engine: state } satisfies SessionState),
    restore(kept) {
      const { steps, engine: before } = JSON.parse(kept) as SessionState;
      budget.restore(steps);
      state = before;
    },
    graph: () => workflow.graph(),
  };
}

/** Turns an error of the engine into the end of the run. An engine is pure: the same call would throw again. */
function guarded(before: unknown, step: () => Step<unknown>): Step<unknown> {
  try {
    return step();
  } catch (error) {
    const reason = error instanceof BudgetExceeded ? error.message : reasonOf(error);
    return { state: before, instructions: [{ do: "fail", reason }] };
  }
}

function orFailure<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw new EngineFailure(reasonOf(error), { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return `The workflow engine stopped with an error: ${messageOf(error)}`;
}
