import type { Caller } from "#operations/context";
import type { FileServices } from "#operations/files/services";
import { crashPoint } from "#plumbing/crash-points";
import { transaction } from "#store/database/database";
import { forgetWorkspace, isWorkspaceUsed, reserveWorkspace } from "#store/workspaces/workspaces";

type ReservationContext = Pick<FileServices, "db" | "clock" | "random" | "workspaces">;

/**
 * Runs `work`, which fills a workspace and then creates a run, so a run is never visible without files.
 * Removes the files if `work` fails.
 */
export async function inReservedWorkspace<Result>(
  context: ReservationContext,
  caller: Caller,
  work: (workspaceId: string) => Promise<Result>,
): Promise<Result> {
  const workspaceId = context.random.uuid();
  await reserveWorkspace(context.db, {
    id: workspaceId,
    ownerId: caller.id,
    createdAtMs: context.clock.now(),
  });
  crashPoint("workspace-reserved");
  try {
    return await work(workspaceId);
  } catch (error) {
    // A failed transaction may have been committed after all. In that case a run owns the files.
    const isUsed = await transaction(context.db, (db) => isWorkspaceUsed(db, workspaceId));
    if (!isUsed) await removeUnused(context, workspaceId);
    throw error;
  }
}

/** Removes the files before the row: until removal succeeds, the row records the need for it. */
export async function removeUnused(
  { db, workspaces }: Pick<FileServices, "db" | "workspaces">,
  workspaceId: string,
): Promise<void> {
  await workspaces.of(workspaceId).remove();
  crashPoint("workspace-emptied");
  await forgetWorkspace(db, workspaceId);
  crashPoint("workspace-forgotten");
}
