import type { NamedGpus } from "#engines/documents";
import type { Problem } from "#engines/problem";
import { gpuDemandIn } from "#workflow/job/gpus";

/** Refuses a start if the step's number of GPUs cannot be read. */
export function* gpuProblems(step: object, stepIndex: number): Generator<Problem> {
  const demand = gpuDemandIn({ ...step });
  if (!demand || !("problem" in demand)) return;
  yield {
    path: `workflow.specification.steps.${stepIndex}.${demand.key}`,
    message: `Step ${stepIndex + 1}: ${demand.problem}.`,
  };
}

/** Returns the GPUs that a step of a document names under its keys. `who` is the step in a sentence. */
export function namedGpus(who: string, step: Readonly<Record<string, unknown>>): NamedGpus[] {
  const demand = gpuDemandIn(step);
  if (!demand || "problem" in demand) return [];
  const { compute_backend: backend } = step;
  return [{ who, ...demand, ...(typeof backend === "string" && { backend }) }];
}
