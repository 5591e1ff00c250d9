import type { Engine, EngineEvent, EngineInput, Evaluate } from "#engines/engine";

import type { Question } from "#runner/engine/engine-questions";

/** The exports of a module whose engine runs in worker processes. */
export interface EngineModule {
  readonly engine: Engine;
  readonly evaluate: Evaluate;
}

export interface Request {
  readonly session: number;
  readonly call: Call;
}

export type Call =
  | { readonly name: "open"; readonly input: EngineInput }
  | { readonly name: "apply"; readonly events: readonly EngineEvent[] }
  | { readonly name: "restore"; readonly state: string }
  | { readonly name: "question"; readonly question: Question }
  | { readonly name: "start" | "state" | "graph" | "close" };

/** A worker handles one request at a time, so a reply belongs to the last request. */
export type Reply =
  /** The value as JSON, which only the worker has made and only the server parses. */
  | { readonly json: string }
  /** A text value, passed on unparsed, because a snapshot may have many megabytes. */
  | { readonly text: string }
  /** The error of the engine. */
  | { readonly error: string };
