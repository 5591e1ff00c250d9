import { backendChoice } from "#engines/steps/backend-choice";
import {
  type Credentials,
  credentialChoice,
  cvmfsMounts,
  cvmfsProblems,
  userChoice,
  userProblems,
  wishProblems,
} from "#engines/steps/container-demands";
import { gpuProblems } from "#engines/steps/gpus";
import { limitProblems, maybeCores, memoryBytes, timeLimitMs } from "#engines/steps/limits";
import type { Problem } from "#engines/problem";
import { gpusIn, withGpus } from "#workflow/job/gpus";
import type { Job, Limits } from "#workflow/job/job";
import type { Specification } from "#workflow/specification/specification";

type Resources = Readonly<Record<string, unknown>>;

/**
 * Returns the demands in the `resources` of an environment: a list of maps under REANA's names. The first map that
 * names a resource wins. Other entries, such as plain Yadage's `CVMFS`, are ignored with a line in the log, as in
 * REANA.
 */
export function demandsOf(
  resources: readonly unknown[],
  specification: Specification,
): Credentials & Pick<Job, "limits" | "resources" | "backend" | "user" | "mounts"> {
  const named = namedIn(resources);
  return {
    ...backendChoice(named),
    ...userChoice(named),
    ...credentialChoice(named, specification),
    ...cvmfsMounts(specification),
    ...limitsOf(named),
  };
}

/** Returns why the resources of a step cannot be had, each as the end of a sentence about its stage. */
export function resourceProblems(resources: readonly unknown[]): string[] {
  const named = namedIn(resources);
  const problems = [limitProblems, userProblems, wishProblems, gpuProblems];
  return problems
    .flatMap((problemsOf) => [...problemsOf(named, 0)])
    .map(({ message }) => `asks for resources that it cannot have: ${message.replace(/^Step 1: |\.$/g, "")}`);
}

/** Returns why the shared folders of CVMFS are unavailable. */
export function sharedResourceProblems(specification: Specification): readonly Problem[] {
  return [...cvmfsProblems(specification)];
}

export function isMap(resource: unknown): resource is Resources {
  return typeof resource === "object" && resource !== null && !Array.isArray(resource);
}

/** Returns the resources of an environment as one map. The first map that names a resource wins. */
export function namedIn(resources: readonly unknown[]): Resources {
  return Object.assign({}, ...resources.filter(isMap).toReversed()) as Resources;
}

function limitsOf(named: Resources): Pick<Job, "limits" | "resources"> {
  const timeMs = timeLimitMs(named);
  const bytes = memoryBytes(named);
  const cores = maybeCores(named);
  const limits: Limits = {
    ...(timeMs !== null && { timeMs }),
    ...(bytes > 0 && { memoryBytes: bytes }),
    ...(cores !== undefined && { cores }),
  };
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...withGpus(bytes > 0 ? { cores: 1, memoryBytes: bytes } : undefined, gpusIn(named)),
  };
}
