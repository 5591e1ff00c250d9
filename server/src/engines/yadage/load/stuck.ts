import { workflowsIn } from "#engines/yadage/state/context";
import type { Model } from "#engines/yadage/model";
import type { Specification } from "#workflow/specification/specification";
import { stuckStages } from "#workflow/specification/yadage-dependencies";
import { isObject } from "#workflow/specification/shape";

/** Limit on the stages that are named. */
const NAMED_MAX = 20;

/**
 * Returns the stages that can never become applicable, in workflows within the workflow too. Returns none if the client has
 * sent the workflow: its warnings have named them.
 */
export function unannouncedStuck({ workflow }: Specification, model: Model) {
  if (isObject(workflow.specification)) return [];
  const stuck = workflowsIn(model.workflow).flatMap(({ stages }, number) =>
    stuckStages(stages, { hasInit: number > 0 || model.initdata !== null }),
  );
  return stuck.slice(0, NAMED_MAX);
}
