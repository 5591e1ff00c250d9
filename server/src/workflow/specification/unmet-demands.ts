import { backendWith, type BackendCapabilities } from "#workflow/capabilities";
import { gpuDemandIn, gpuShortage } from "#workflow/job/gpus";
import { maybeLowUser } from "#workflow/job/user-id";
import { findDaskFaults } from "#workflow/specification/dask";
import { type Faults, isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { stepDemandsIn } from "#workflow/specification/step-demands";
import { unmetWishes } from "#workflow/unmet-wishes";

const USER = "kubernetes_uid";

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
    const lowUser = maybeLowUser(demands[USER]);
    if (lowUser !== undefined) yield { code: "demand", path: pathOf(USER), message: lowUser };
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
  const { compute_backend: wanted } = demands;
  const backend = backendWith(backends, typeof wanted === "string" ? wanted : undefined);
  const message = gpuShortage(who, demand, backend);
  return message === undefined ? undefined : { key, message };
}
