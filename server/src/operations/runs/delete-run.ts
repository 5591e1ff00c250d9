import type { Caller } from "#operations/context";
import type { RunServices } from "#operations/runs/services";
import { findRun } from "#operations/find-run";
import { fullNameOf } from "#operations/full-name";
import { closeIfOpen } from "#operations/runs/notebooks";
import { statusConflict } from "#operations/runs/status-conflict";
import { removeWorkspace } from "#operations/files/remove-workspace";
import { crashPoint } from "#plumbing/crash-points";
import { transaction } from "#store/database/database";
import { notify } from "#store/database/wake-ups";
import { moveRun } from "#store/runs/move-run";
import { isKept } from "#store/runs/old-runs";
import { oneRun, type Run, runsOfName } from "#store/runs/runs";
import { mustRemoveWorkspace } from "#store/workspaces/workspaces";
import { type Actor, isLive, type RunStatus } from "#workflow/run/run-status";

export type DeleteContext = Pick<
  RunServices,
  "db" | "clock" | "workspaces" | "jobLogs" | "disk" | "notebooks" | "unfinishedRemovals"
>;

export interface DeleteInput {
  /** UUID or name. */
  readonly address: string;
  /** Also delete all runs of the same name except live runs. */
  readonly allRuns: boolean;
}

/**
 * Marks a run as deleted, then removes its files. After a crash between the two steps, the next start removes
 * the files (`finish-removals.ts`). Deleting a deleted run changes nothing.
 */
export async function deleteRun(context: DeleteContext, caller: Caller, input: DeleteInput): Promise<Run> {
  const run = await findRun(context, caller, input.address, "change");
  context.disk.ensureRoom();
  const refused = await deleteUnlessLive(context, run, "user");
  if (refused) throw statusConflict("deleted", fullNameOf(run), refused);
  if (input.allRuns) await deleteOthers(context, run);
  return oneRun(context.db, run.id);
}

async function deleteOthers(context: DeleteContext, run: Run): Promise<void> {
  for (const other of await runsOfName(context.db, run.ownerId, run.name)) {
    if (other.status !== "deleted" && !isLive(other.status)) await deleteUnlessLive(context, other, "user");
  }
}

/**
 * Closes the notebook of a run and deletes the run. Returns its status if `by` may not delete it, because the run
 * was started in the meantime, or is kept by a tag and the server itself is to delete it.
 */
export async function deleteUnlessLive(
  context: DeleteContext,
  run: Run,
  by: Actor,
): Promise<RunStatus | undefined> {
  await closeIfOpen(context, run);
  const atMs = context.clock.now();
  const { refused, mustRemove } = await transaction(context.db, async (db) => {
    // The tag may have been added since the run was found to be old.
    if (by === "retention" && (await isKept(db, run.id))) return { refused: run.status, mustRemove: false };
    if (!(await moveRun(db, { runId: run.id, to: "deleted", by, atMs }))) {
      const { status } = await oneRun(db, run.id);
      if (status !== "deleted") return { refused: status, mustRemove: false };
    }
    await notify(db, { kind: "run-changed", runId: run.id });
    return { refused: undefined, mustRemove: await mustRemoveWorkspace(db, run.workspaceId) };
  });
  if (refused) return refused;
  crashPoint("delete-recorded");
  // A notebook may have been opened in the meantime. From now on none can be.
  await closeIfOpen(context, run);
  if (mustRemove) await removeWorkspace(context, run.workspaceId);
  return undefined;
}
