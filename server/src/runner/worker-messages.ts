import type { Engine, EngineEvent, EngineInput, Evaluate } from "#engines/engine";

/** The exports of a module whose engine runs in a worker. */
export interface EngineModule {
  readonly engine: Engine;
  readonly evaluate: Evaluate;
}

export interface WorkerSetup {
  /** The address of the module. */
  readonly module: string;
}

export interface Request {
  readonly id: number;
  readonly session: number;
  readonly call: Call;
}

export type Call =
  | { readonly name: "open"; readonly input: EngineInput }
  | { readonly name: "apply"; readonly events: readonly EngineEvent[] }
  | { readonly name: "restore"; readonly state: unknown }
  | { readonly name: "start" | "state" | "graph" | "close" };

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };
