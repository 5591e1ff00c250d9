import type { Engine, EngineInput } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import { type EngineHost, hostInProcess, openSession, type SyncSession } from "#runner/engine-host";
import type { Language } from "#workflow/language";
import { surveyEngine } from "../support/survey-engine.ts";
import { evaluateTiny } from "../support/tiny-expressions.ts";

/** The languages of simulated runs: REANA's serial one, and one that needs everything that the contract offers. */
export const ENGINES: ReadonlyMap<Language, Engine> = new Map<Language, Engine>([
  ["serial", serialEngine as Engine],
  ["cwl", surveyEngine as Engine],
]);

/** As a server that was upgraded has them: of another version they read no snapshot, and answer the same. */
export function engineHosts(version: number): ReadonlyMap<Language, EngineHost> {
  return new Map(
    [...ENGINES].map(([language, engine]) => [language, hostInProcess({ ...engine, version }, evaluateTiny)]),
  );
}

/** The engine alone, without a runner. */
export function sessionOf(language: Language, input: EngineInput): SyncSession {
  return openSession(ENGINES.get(language)!, input, evaluateTiny);
}
