import { type Faults, isObject, joinPath } from "#workflow/specification/shape";
import {
  findInSteps,
  keysOf,
  listIn,
  nameAt,
  type ParsedStep,
  textsIn,
} from "#workflow/specification/step-parameters";
import { stuckStages } from "#workflow/specification/yadage-dependencies";

/** Finds REANA's warnings about a Yadage workflow parsed by its client. */
export function* findYadageWarnings(specification: unknown, inputs: unknown): Faults {
  const steps = stagesIn(specification).map(parsed);
  if (steps.length === 0) return;
  const given = new Set(steps.flatMap((step) => [...step.given]));
  for (const name of keysOf(isObject(inputs) ? inputs.parameters : undefined)) {
    if (given.has(name)) continue;
    const message = `REANA input parameter "${name}" does not seem to be used.`;
    yield { code: "parameters", path: joinPath("inputs.parameters", name), message };
  }
  yield* findInSteps(steps, { language: "Yadage", key: "stages" });
  const { parameters, options } = isObject(inputs) ? inputs : {};
  const hasInit = keysOf(parameters).length > 0 || keysOf(options).includes("initfiles");
  yield* findStuck(specification, hasInit);
}

/** Warns about stages that the run would omit. REANA itself gives no warning. */
function* findStuck(
  specification: unknown,
  hasInit: boolean,
  path = "workflow.specification",
  depth = 0,
): Faults {
  if (depth > DEPTH_MAX) return;
  const stages = listIn(specification, "stages");
  for (const { name, index, reason } of stuckStages(stages, { hasInit })) {
    const message = `Stage "${name}" never becomes applicable: ${reason}. The run would finish without it.`;
    yield { code: "stages", path: `${path}.stages.${index}.dependencies`, message };
  }
  for (const [index, { scheduler }] of stages.entries())
    if (isObject(scheduler) && isObject(scheduler.workflow))
      yield* findStuck(scheduler.workflow, true, `${path}.stages.${index}.scheduler.workflow`, depth + 1);
}

/** Limit for nested workflows. Real ones are not nested as deeply. */
const DEPTH_MAX = 20;

/** Returns the stages in order. The stages of a nested workflow precede the containing stage. */
export function stagesIn(specification: unknown, depth = 0): Record<string, unknown>[] {
  if (depth > DEPTH_MAX) return [];
  return listIn(specification, "stages").flatMap((stage) => {
    const scheduler = isObject(stage.scheduler) ? stage.scheduler : {};
    return [...stagesIn(scheduler.workflow, depth + 1), stage];
  });
}

/** Matches `{name}`, also inside other braces. Text is scanned once, however many braces occur. */
const USE = /\{([^{}]*)\}/g;

function parsed(stage: Record<string, unknown>, index: number): ParsedStep {
  const scheduler = isObject(stage.scheduler) ? stage.scheduler : {};
  const step = isObject(scheduler.step) ? scheduler.step : {};
  const parameters = "step" in scheduler ? listIn(scheduler, "parameters") : [];
  const parts = Object.values(step).filter(isObject);
  const published = isObject(step.publisher) ? step.publisher : {};
  const outputKey = typeof published.outputkey === "string" ? [published.outputkey] : [];
  return {
    name: nameAt(stage, index),
    commands: parts.flatMap((part) => textsIn([part.script, part.cmd])),
    given: new Set(parameters.map(({ key }) => key).filter((key) => typeof key === "string")),
    taken: new Set([
      ...textsIn(parts).flatMap((text) => [...text.matchAll(USE)].map(([, name]) => name!)),
      ...keysOf(published.publish),
      ...outputKey,
    ]),
  };
}
