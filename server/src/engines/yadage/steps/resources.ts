import { backendChoice } from "#engines/serial/backend-choice";
import { memoryBytes, timeLimitMs } from "#engines/serial/limits";
import type { Job } from "#workflow/job/job";

/**
 * Returns the limits that the `resources` of an environment set: a list of maps under REANA's names. Other entries, such
 * as plain Yadage's `CVMFS`, are ignored with a line in the log, as in REANA.
 */
export function resourcesIn(resources: readonly unknown[]): Pick<Job, "limits" | "resources" | "backend"> {
  const named = Object.assign({}, ...resources.filter(isMap)) as Readonly<Record<string, unknown>>;
  const timeMs = timeLimitMs(named);
  const bytes = memoryBytes(named);
  return {
    ...backendChoice(named),
    ...(timeMs !== null && { limits: { timeMs } }),
    ...(bytes > 0 && { resources: { cores: 1, memoryBytes: bytes } }),
  };
}

export function isMap(resource: unknown): resource is Readonly<Record<string, unknown>> {
  return typeof resource === "object" && resource !== null && !Array.isArray(resource);
}
