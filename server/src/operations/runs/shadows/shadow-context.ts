import type { Operations } from "#operations/operations";
import type { Run } from "#store/runs/runs";

/** Dependencies of the copies of runs on another server. */
export type ShadowContext = Pick<Operations, "db" | "clock" | "tokenSeal" | "workspaces">;

/** Returns the time at which a run was started here. Files that changed later are not inputs. */
export function startOf({ queuedAtMs, createdAtMs }: Run): number {
  return queuedAtMs ?? createdAtMs;
}
