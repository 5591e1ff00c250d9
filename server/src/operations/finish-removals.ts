import type { Operations } from "#operations/context";
import { removeUnused } from "#operations/create-workflow-from-git";
import { removeWorkspace } from "#operations/remove-workspace";
import { unusedWorkspaces, workspacesToRemove } from "#store/workspaces";

/**
 * At start, before anything is asked of the server: removes the files that an earlier one left behind because it went
 * away while a run was being deleted, or created from a repository. Answers how many workspaces it removed.
 */
export async function finishRemovals(
  context: Pick<Operations, "db" | "clock" | "workspaces" | "jobLogs">,
): Promise<number> {
  const deleted = await workspacesToRemove(context.db);
  for (const workspaceId of deleted) await removeWorkspace(context, workspaceId);
  const unused = await unusedWorkspaces(context.db);
  for (const workspaceId of unused) await removeUnused(context, workspaceId);
  return deleted.length + unused.length;
}
