import type { RunnableEngine } from "#app/server-parts";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import type { Engine, EngineInput, Evaluate, Instruction, Step } from "#engines/engine";
import { serialEngine } from "#engines/serial/serial-engine";
import { yadageEngine } from "#engines/yadage/yadage-engine";
import { loadJavaScript } from "#plumbing/javascript/evaluate";
import { jqEvaluator } from "#plumbing/jq/jq";
import { openSession, type SyncSession } from "#runner/engine/engine-runtime";
import type { Resources } from "#workflow/job/job";
import type { Language } from "#workflow/language";
import { runnable } from "../support/server-parts.ts";
import { SURVEYS } from "./workload/workload.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

interface Hosted {
  readonly engine: Engine;
  readonly evaluate: Evaluate;
}

/**
 * The languages of simulated runs: three languages with engines in this process, and a language that uses
 * everything in the engine contract. The latter replaces Snakemake, whose planner is a process.
 */
const ENGINES: ReadonlyMap<Language, Hosted> = new Map<Language, Hosted>([
  ["serial", { engine: withResources(serialEngine), evaluate: evaluateTiny }],
  ["cwl", { engine: withResources(createCwlEngine()), evaluate: await loadJavaScript() }],
  ["yadage", { engine: withResources(yadageEngine), evaluate: jqEvaluator() }],
  [SURVEYS, { engine: withResources({ ...surveyEngine, language: SURVEYS }), evaluate: evaluateTiny }],
]);

const SIZES: readonly (Resources | undefined)[] = [
  undefined,
  { cores: 2, memoryBytes: 100 },
  { cores: 0.5, memoryBytes: 700 },
  { cores: 100, memoryBytes: 0 },
];

/** Gives jobs all sizes. The size of a job is a function of its key. */
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
  return [...ENGINES.values()].map(({ engine, evaluate }) => runnable({ ...engine, version }, evaluate));
}

/** Opens a session of the engine alone, without a runner. */
export function sessionOf(language: Language, input: EngineInput): SyncSession {
  const { engine, evaluate } = ENGINES.get(language)!;
  return openSession(engine, input, evaluate);
}
