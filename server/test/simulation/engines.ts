import type { RunnableEngine } from "#app/server-parts";
import type { Engine, EngineInput, Instruction, Step } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import { openSession, type SyncSession } from "#runner/engine/engine-runtime";
import type { Resources } from "#workflow/job/job";
import type { Language } from "#workflow/language";
import { runnable } from "../support/server-parts.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

/** The languages of simulated runs: REANA's serial one, and one that needs everything in the engine contract. */
const ENGINES: ReadonlyMap<Language, Engine> = new Map<Language, Engine>([
  ["serial", withResources(serialEngine)],
  ["cwl", withResources(surveyEngine)],
]);

const SIZES: readonly (Resources | undefined)[] = [
  undefined,
  { cores: 2, memoryBytes: 100 },
  { cores: 0.5, memoryBytes: 700 },
  { cores: 100, memoryBytes: 0 },
];

/** Gives jobs all sizes. The same key always gets the same size. */
function withResources<State>(engine: Engine<State>): Engine {
  const sized = (step: Step<unknown>): Step<unknown> => ({
    ...step,
    instructions: step.instructions.map(withSize),
  });
  return {
    ...engine,
    load(input, evaluate) {
      const workflow = engine.load(input, evaluate);
      return {
        graph: () => workflow.graph(),
        start: () => sized(workflow.start()),
        apply: (state, event) => sized(workflow.apply(state as State, event)),
      };
    },
  };
}

function withSize(instruction: Instruction): Instruction {
  if (instruction.do !== "submit") return instruction;
  const { key } = instruction.job;
  const resources = SIZES[(key.charCodeAt(key.length - 1) + key.length) % (2 * SIZES.length)];
  return resources ? { ...instruction, job: { ...instruction.job, resources } } : instruction;
}

/** Returns the engines of an upgraded server: another version reads no older snapshots, but gives the same answers. */
export function runnableEngines(version: number): readonly RunnableEngine[] {
  return [...ENGINES.values()]
    .map((engine) => ({ ...engine, version }))
    .map((engine) => runnable(engine, evaluateTiny));
}

/** Opens a session of the engine alone, without a runner. */
export function sessionOf(language: Language, input: EngineInput): SyncSession {
  return openSession(ENGINES.get(language)!, input, evaluateTiny);
}
