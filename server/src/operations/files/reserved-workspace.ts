import type { Caller, Operations } from "#operations/context";
import { crashPoint } from "#plumbing/crash-points";
import { transaction } from "#store/database/database";
import { forgetWorkspace, isWorkspaceUsed, reserveWorkspace } from "#store/workspaces/workspaces";

type Context = Pick<Operations, "db" | "clock" | "random" | "workspaces">;

/**
 * Runs work that fills a workspace and then creates its run, so that no run is ever seen without its files.
 * Removes the files if the work fails.
 */
export async function inReservedWorkspace<Result>(
  context: Context,
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
    // A transaction that failed may have been committed all the same: then the files belong to a run.
    const isUsed = await transaction(context.db, (db) => isWorkspaceUsed(db, workspaceId));
    if (!isUsed) await removeUnused(context, workspaceId);
    throw error;
  }
}

/** Removes the files first: until they are gone, the row records that they have to be removed. */
export async function removeUnused(
  { db, workspaces }: Pick<Operations, "db" | "workspaces">,
  workspaceId: string,
): Promise<void> {
  await workspaces.of(workspaceId).remove();
  crashPoint("workspace-emptied");
  await forgetWorkspace(db, workspaceId);
  crashPoint("workspace-forgotten");
}
