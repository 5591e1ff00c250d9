import { isObject, joinPath } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { listIn, nameAt, pathOfStep } from "#workflow/specification/step-parameters";
import { stagesIn } from "#workflow/specification/yadage-warnings";

/** Demands of a step on the place where it runs, by REANA's names: `compute_backend`, `kerberos` … */
export interface StepDemands {
  readonly step: string;
  readonly demands: Readonly<Record<string, unknown>>;
  /** Returns the place of a demand in the document. */
  pathOf(key: string): string;
}

/**
 * Returns the demands in a specification. Except in serial, demands are found only if the client has parsed
 * the workflow.
 */
export function stepDemandsIn({ type, specification }: Specification["workflow"]): Iterable<StepDemands> {
  switch (type) {
    case "serial":
    case "snakemake":
      return inSteps(specification);
    case "yadage":
      return inStages(specification);
    case "cwl":
      return inHints(specification);
    default:
      return [];
  }
}

function* inSteps(specification: unknown): Iterable<StepDemands> {
  for (const [index, step] of listIn(specification, "steps").entries())
    yield {
      step: nameAt(step, index),
      demands: step,
      pathOf: (key) => joinPath(pathOfStep("steps", index), key),
    };
}

/** The first of several values of a resource counts. */
function* inStages(specification: unknown): Iterable<StepDemands> {
  for (const [index, stage] of stagesIn(specification).entries()) {
    const scheduler = isObject(stage.scheduler) ? stage.scheduler : {};
    const environment = isObject(scheduler.step) ? scheduler.step.environment : undefined;
    const demands = Object.assign({}, ...listIn(environment, "resources").toReversed());
    yield { step: nameAt(stage, index), demands, pathOf: () => pathOfStep("stages", index) };
  }
}

/** Yields the hint `reana` of each process of a packed document, and of each of its steps. */
function* inHints(specification: unknown): Iterable<StepDemands> {
  const graph = isObject(specification) ? (specification.$graph ?? specification) : [];
  for (const process of [graph].flat().filter(isObject)) {
    for (const one of [process, ...entriesOf(process.steps, "id")]) {
      const hint = entriesOf(one.hints, "class").find((entry) => entry.class === "reana");
      const step = typeof one.id === "string" ? one.id.replace(/^#/, "") : "";
      yield { step, demands: hint ?? {}, pathOf: () => "workflow.specification" };
    }
  }
}

/**
 * Returns the entries of a CWL field that is a list or a map. The keys of a map become the names of the
 * entries.
 */
function entriesOf(written: unknown, name: "id" | "class"): Record<string, unknown>[] {
  if (Array.isArray(written)) return written.filter(isObject);
  const named = Object.entries(isObject(written) ? written : {});
  return named.flatMap(([key, value]) => (isObject(value) ? [{ ...value, [name]: key }] : []));
}
