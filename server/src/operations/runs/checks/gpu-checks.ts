import type { NamedGpus } from "#engines/documents";
import type { Problem } from "#engines/problem";
import { backendWith, type BackendCapabilities } from "#workflow/capabilities";
import { gpuShortage } from "#workflow/job/gpus";

/** Finds the GPUs of a workflow's documents that no job could have. */
export function findGpuProblems(
  backends: readonly BackendCapabilities[],
  named: readonly NamedGpus[] = [],
): Problem[] {
  const sentences = named.flatMap(
    (one) => gpuShortage(one.who, one, backendWith(backends, one.backend)) ?? [],
  );
  return [...new Set(sentences)].map((message) => ({ path: "workflow", message }));
}
