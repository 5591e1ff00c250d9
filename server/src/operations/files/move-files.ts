import type { Caller, Operations } from "#operations/context";
import { findWorkspace } from "#operations/files/find-workspace";
import { Refusal } from "#plumbing/errors";
import { markExternalChange } from "#store/restarts";
import type { Run } from "#store/runs";

export interface MoveInput {
  /** UUID or name of the run. */
  readonly address: string;
  readonly source: string | undefined;
  readonly target: string | undefined;
}

/** Moves files inside a workspace. */
export async function moveFiles(
  context: Pick<Operations, "db" | "workspaces" | "clock">,
  caller: Caller,
  { address, source, target }: MoveInput,
): Promise<Run> {
  const run = await findWorkspace(context.db, caller, address, "change");
  if (!source || !target) {
    throw new Refusal("malformed", "Missing query parameters: give `source` and `target`.");
  }
  await markExternalChange(context.db, run.workspaceId, context.clock.now());
  await context.workspaces.moveFiles(run.workspaceId, source, target);
  return run;
}
