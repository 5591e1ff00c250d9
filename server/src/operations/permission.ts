import type { Caller } from "#operations/context";
import type { Workflow } from "#store/workflows";

/** Whether the caller may see a run. Only its owner may see or change it; the administrator may not. */
export function maySee(caller: Caller, workflow: Pick<Workflow, "ownerId">): boolean {
  return workflow.ownerId === caller.id;
}

export function mayChange(caller: Caller, workflow: Pick<Workflow, "ownerId">): boolean {
  return workflow.ownerId === caller.id;
}
