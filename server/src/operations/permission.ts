import type { Caller } from "#operations/context";
import type { Run } from "#store/runs/runs";

/** Whether the caller may see a run. Only its owner may see or change it; the administrator may not. */
export function maySee(caller: Caller, run: Pick<Run, "ownerId">): boolean {
  return run.ownerId === caller.id;
}

export function mayChange(caller: Caller, run: Pick<Run, "ownerId">): boolean {
  return run.ownerId === caller.id;
}
