import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { fullNameOf } from "#operations/full-name";
import { refusedInStatus } from "#operations/runs/refused-in-status";
import { removeWorkspace } from "#operations/files/remove-workspace";
import { crashPoint } from "#plumbing/crash-points";
import { transaction } from "#store/database";
import { notify } from "#store/wake-ups";
import { changeStatus } from "#store/workflow-status";
import { oneWorkflow, type Workflow, workflowsOfName } from "#store/workflows";
import { mustRemoveWorkspace } from "#store/workspaces";
import { isLive, type RunStatus } from "#workflow/run-status";

type Context = Pick<Operations, "db" | "clock" | "workspaces" | "jobLogs" | "disk">;

export interface DeleteInput {
  /** UUID or name. */
  readonly address: string;
  /** Also delete every other run of the same name that is not live. */
  readonly allRuns: boolean;
}

/**
 * Marks a run as deleted, then removes its files. If the server crashes between the two, the next start removes them
 * (`finish-removals.ts`). Deleting a deleted run changes nothing.
 */
export async function deleteWorkflow(
  context: Context,
  caller: Caller,
  input: DeleteInput,
): Promise<Workflow> {
  const workflow = await findWorkflow(context.db, caller, input.address, "change");
  context.disk.ensureRoom();
  const refused = await deleteUnlessLive(context, workflow);
  if (refused) throw refusedInStatus("deleted", fullNameOf(workflow), refused);
  if (input.allRuns) await deleteOthers(context, workflow);
  return oneWorkflow(context.db, workflow.id);
}

async function deleteOthers(context: Context, workflow: Workflow): Promise<void> {
  for (const run of await workflowsOfName(context.db, workflow.ownerId, workflow.name)) {
    if (run.status !== "deleted" && !isLive(run.status)) await deleteUnlessLive(context, run);
  }
}

/** Deletes a run. Returns its status if it may not be deleted, because it was started in the meantime. */
async function deleteUnlessLive(context: Context, workflow: Workflow): Promise<RunStatus | undefined> {
  const atMs = context.clock.now();
  const { refused, mustRemove } = await transaction(context.db, async (db) => {
    if (!(await changeStatus(db, { workflowId: workflow.id, to: "deleted", by: "user", atMs }))) {
      const { status } = await oneWorkflow(db, workflow.id);
      if (status !== "deleted") return { refused: status, mustRemove: false };
    }
    await notify(db, { kind: "run-changed", workflowId: workflow.id });
    return { refused: undefined, mustRemove: await mustRemoveWorkspace(db, workflow.workspaceId) };
  });
  if (refused) return refused;
  crashPoint("delete-recorded");
  if (mustRemove) await removeWorkspace(context, workflow.workspaceId);
  return undefined;
}
