import {
  type Engine,
  type EngineEvent,
  type EngineInput,
  type Evaluate,
  evaluatesNothing,
  type Graph,
  type Instruction,
  type Step,
} from "#engines/engine";
import { messageOf } from "#plumbing/errors";

/**
 * Where an engine runs: in this thread, or in a worker (`worker-host.ts`) when it evaluates expressions and might keep
 * the server from answering. The contract of the engine is the same; seen from outside it answers later.
 */
export interface EngineHost {
  /** The engine loads the workflow of one run. */
  open(input: EngineInput): Promise<EngineSession>;
}

/** One run's engine, with the state that it is in. */
export interface EngineSession {
  readonly version: number;
  start(): Promise<readonly Instruction[]>;
  /** What came of each event, in order. */
  apply(events: readonly EngineEvent[]): Promise<readonly (readonly Instruction[])[]>;
  /** As plain JSON: what a snapshot keeps. */
  state(): Promise<unknown>;
  /** Goes on from a state that was kept. */
  restore(state: unknown): Promise<void>;
  graph(): Promise<Graph>;
  close(): Promise<void>;
}

export function hostInProcess(engine: Engine, evaluate: Evaluate = evaluatesNothing): EngineHost {
  return {
    async open(input) {
      const session = openSession(engine, input, evaluate);
      return {
        version: engine.version,
        start: async () => session.start(),
        apply: async (events) => session.apply(events),
        state: async () => session.state(),
        restore: async (state) => session.restore(state),
        graph: async () => session.graph(),
        close: async () => undefined,
      };
    },
  };
}

/** The same without waiting: what both kinds of host are made of. */
export interface SyncSession {
  start(): readonly Instruction[];
  apply(events: readonly EngineEvent[]): readonly (readonly Instruction[])[];
  state(): unknown;
  restore(state: unknown): void;
  graph(): Graph;
}

export function openSession(engine: Engine, input: EngineInput, evaluate: Evaluate): SyncSession {
  const workflow = engine.load(input, evaluate);
  let state: unknown = null;
  const take = (step: () => Step<unknown>): readonly Instruction[] => {
    const next = guarded(state, step);
    state = next.state;
    return next.instructions;
  };
  return {
    start: () => take(() => workflow.start()),
    apply: (events) => events.map((event) => take(() => workflow.apply(state, event))),
    state: () => state,
    restore: (kept) => void (state = kept),
    graph: () => workflow.graph(state),
  };
}

/** An engine is pure: what it throws once it would throw again, so the run ends with that reason. */
function guarded(before: unknown, step: () => Step<unknown>): Step<unknown> {
  try {
    return step();
  } catch (error) {
    const reason = `The workflow engine stopped with an error: ${messageOf(error)}`;
    return { state: before, instructions: [{ do: "fail", reason }] };
  }
}
