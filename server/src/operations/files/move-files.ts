import type { Caller, Operations } from "#operations/context";
import { findWorkspace } from "#operations/files/find-workspace";
import { Refusal } from "#plumbing/errors";
import { noteDisturbance } from "#store/restarts";
import type { Workflow } from "#store/workflows";

export interface MoveInput {
  /** UUID or name of the workflow. */
  readonly address: string;
  readonly source: string | undefined;
  readonly target: string | undefined;
}

/** Moves files inside a workspace. */
export async function moveFiles(
  context: Pick<Operations, "db" | "workspaces" | "clock">,
  caller: Caller,
  { address, source, target }: MoveInput,
): Promise<Workflow> {
  const workflow = await findWorkspace(context.db, caller, address, "change");
  if (!source || !target) {
    throw new Refusal(
      "malformed",
      "What is to be moved where was not said: give the query parameters source and target.",
    );
  }
  await noteDisturbance(context.db, workflow.workspaceId, context.clock.now());
  await context.workspaces.moveFiles(workflow.workspaceId, source, target);
  return workflow;
}
