import type { Caller } from "#operations/context";
import type { Workflow } from "#store/workflows";

/** Who may see or change a run: its owner. The administrator is a stranger to other people's runs. */
export function maySee(caller: Caller, workflow: Pick<Workflow, "ownerId">): boolean {
  return workflow.ownerId === caller.id;
}

export function mayChange(caller: Caller, workflow: Pick<Workflow, "ownerId">): boolean {
  return workflow.ownerId === caller.id;
}
