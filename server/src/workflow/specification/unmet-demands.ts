import { backendWith, type BackendCapabilities, type JobFeature } from "#workflow/capabilities";
import { gpuDemandIn, gpuShortage } from "#workflow/job/gpus";
import { maybeLowUser } from "#workflow/job/user-id";
import { findDaskFaults } from "#workflow/specification/dask";
import { type Faults, isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { type StepDemands, stepDemandsIn } from "#workflow/specification/step-demands";
import { unmetWishes } from "#workflow/unmet-wishes";
import { isWished } from "#workflow/wished";

const USER = "kubernetes_uid";

/** Credentials that not every backend gives, by REANA's keys. */
const GRID_CREDENTIALS: readonly { key: string; feature: JobFeature; what: string }[] = [
  { key: "voms_proxy", feature: "voms-proxy", what: "a VOMS proxy" },
  { key: "rucio", feature: "rucio", what: "a configuration of Rucio" },
];

/**
 * Finds demands of a workflow that this server cannot meet. A workflow with such a demand cannot start. Without
 * `backends`, the number of GPUs is not checked.
 */
export function* findUnmetDemands(
  { workflow }: Pick<Specification, "workflow">,
  backends: readonly BackendCapabilities[] = [],
): Faults {
  const { resources } = workflow;
  if (isObject(resources)) {
    const path = "workflow.resources";
    if (isObject(resources.dask)) yield* findDaskFaults(resources.dask, `${path}.dask`);
    for (const [key, message] of unmetWishes("The workflow", resources))
      yield { code: "demand", path: `${path}.${key}`, message };
    const gpus = gpuDemandIn(resources);
    if (gpus)
      yield {
        code: "demand",
        path: `${path}.${gpus.key}`,
        message: `The workflow asks for a GPU (${gpus.key}), which only a step can have: name it in the steps that need one.`,
      };
  }
  for (const { step, demands, pathOf } of stepDemandsIn(workflow)) {
    for (const [key, message] of unmetWishes(`Step "${step}"`, demands))
      yield { code: "demand", path: pathOf(key), message };
    const gpus = gpuFault(`Step "${step}"`, demands, backends);
    if (gpus) yield { code: "demand", path: pathOf(gpus.key), message: gpus.message };
    yield* credentialFaults(`Step "${step}"`, { demands, pathOf }, backends);
    const lowUser = maybeLowUser(demands[USER]);
    if (lowUser !== undefined) yield { code: "demand", path: pathOf(USER), message: lowUser };
  }
}

/** Yields the credentials that the place of a step cannot give. A command without its credentials must not start. */
function* credentialFaults(
  who: string,
  { demands, pathOf }: Pick<StepDemands, "demands" | "pathOf">,
  backends: readonly BackendCapabilities[],
): Faults {
  const backend = backendOf(demands, backends);
  for (const { key, feature, what } of GRID_CREDENTIALS) {
    if (!backend || !isWished(demands[key]) || backend.provides().includes(feature)) continue;
    const message = `${who} asks for ${what} (${key}), which ${backend.computeBackends[0]} cannot give to jobs: use another compute_backend.`;
    yield { code: "demand", path: pathOf(key), message };
  }
}

/** Returns why a step cannot have its GPUs, and the key under which the step names them. */
function gpuFault(
  who: string,
  demands: Readonly<Record<string, unknown>>,
  backends: readonly BackendCapabilities[],
): { readonly key: string; readonly message: string } | undefined {
  const demand = gpuDemandIn(demands);
  if (!demand) return undefined;
  const { key } = demand;
  if ("problem" in demand) return { key, message: `${who}: ${demand.problem}.` };
  const message = gpuShortage(who, demand, backendOf(demands, backends));
  return message === undefined ? undefined : { key, message };
}

/** Returns the backend on which a step would run. Undefined if none has the name that the step says. */
function backendOf(
  { compute_backend: wanted }: Readonly<Record<string, unknown>>,
  backends: readonly BackendCapabilities[],
): BackendCapabilities | undefined {
  return backendWith(backends, typeof wanted === "string" ? wanted : undefined);
}
