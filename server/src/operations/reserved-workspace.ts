import type { Caller, Operations } from "#operations/context";
import { crashPoint } from "#plumbing/crash-points";
import { transaction } from "#store/database";
import { forgetWorkspace, isWorkspaceUsed, reserveWorkspace } from "#store/workspaces";

type Context = Pick<Operations, "db" | "clock" | "random" | "workspaces">;

/**
 * Work that fills a workspace and then makes the workflow of it, so that no workflow is ever seen without its files.
 * Whatever goes wrong takes the files away again.
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
    // What is reported as failed may have been done: then these are the files of a workflow.
    const isUsed = await transaction(context.db, (db) => isWorkspaceUsed(db, workspaceId));
    if (!isUsed) await removeUnused(context, workspaceId);
    throw error;
  }
}

/** The files first: until they are gone the row says that they have to go. */
export async function removeUnused(
  { db, workspaces }: Pick<Operations, "db" | "workspaces">,
  workspaceId: string,
): Promise<void> {
  await workspaces.remove(workspaceId);
  crashPoint("workspace-emptied");
  await forgetWorkspace(db, workspaceId);
  crashPoint("workspace-forgotten");
}
