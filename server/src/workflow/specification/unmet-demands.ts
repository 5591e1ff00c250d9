import { maybeLowUser } from "#workflow/job/user-id";
import { type Faults, isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { stepDemandsIn } from "#workflow/specification/step-demands";
import { unmetWishes } from "#workflow/unmet-wishes";

const USER = "kubernetes_uid";

/** Finds demands of a workflow that Reprise can never meet. A workflow with such a demand cannot start. */
export function* findUnmetDemands({ workflow }: Pick<Specification, "workflow">): Faults {
  const { resources } = workflow;
  if (isObject(resources)) {
    const path = "workflow.resources";
    // REANA's sentence.
    if (isObject(resources.dask))
      yield {
        code: "dask",
        path: `${path}.dask`,
        message: "Dask workflows are not allowed in this cluster.",
      };
    for (const [key, message] of unmetWishes("The workflow", resources))
      yield { code: "demand", path: `${path}.${key}`, message };
  }
  for (const { step, demands, pathOf } of stepDemandsIn(workflow)) {
    for (const [key, message] of unmetWishes(`Step "${step}"`, demands))
      yield { code: "demand", path: pathOf(key), message };
    const lowUser = maybeLowUser(demands[USER]);
    if (lowUser !== undefined) yield { code: "demand", path: pathOf(USER), message: lowUser };
  }
}
