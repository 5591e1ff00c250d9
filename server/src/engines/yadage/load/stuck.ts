import { workflowsIn } from "#engines/yadage/state/context";
import type { Model } from "#engines/yadage/model";
import type { Specification } from "#workflow/specification/specification";
import { stuckStages } from "#workflow/specification/yadage-dependencies";
import { isObject } from "#workflow/specification/shape";

/** Maximum number of named stages. */
const NAMED_MAX = 20;

/**
 * Returns the stages that can never become applicable, including stages of nested workflows. Returns an empty list if
 * the client has sent the workflow, because the client's warnings have named the stages.
 */
export function unannouncedStuck({ workflow }: Specification, model: Model) {
  if (isObject(workflow.specification)) return [];
  const stuck = workflowsIn(model.workflow).flatMap(({ stages }, number) =>
    stuckStages(stages, { hasInit: number > 0 || model.initdata !== null }),
  );
  return stuck.slice(0, NAMED_MAX);
}
