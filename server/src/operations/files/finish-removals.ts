import { type RemovalContext, removeWorkspace } from "#operations/files/remove-workspace";
import { removeUnused } from "#operations/files/reserved-workspace";
import { unusedWorkspaces, workspacesToRemove } from "#store/workspaces/workspaces";

/**
 * Removes, before the server takes requests, the files that an earlier server left behind because it ended while a run
 * was being deleted, or created from a repository. Files that cannot be removed (another user's, say) are reported to
 * `onFailure` and do not keep the server from starting. Returns the number of removed workspaces.
 */
export async function finishRemovals(
  context: RemovalContext,
  onFailure: (workspaceId: string, error: unknown) => void,
): Promise<number> {
  const deleted = await workspacesToRemove(context.db);
  const unused = await unusedWorkspaces(context.db);
  const removals = [
    ...deleted.map((id) => ({ id, remove: () => removeWorkspace(context, id) })),
    ...unused.map((id) => ({ id, remove: () => removeUnused(context, id) })),
  ];
  let removed = 0;
  for (const { id, remove } of removals) {
    try {
      await remove();
      removed += 1;
    } catch (error) {
      onFailure(id, error);
    }
  }
  return removed;
}
