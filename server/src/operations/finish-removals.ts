import type { Operations } from "#operations/context";
import { removeWorkspace } from "#operations/remove-workspace";
import { workspacesToRemove } from "#store/workspaces";

/** At start: removes what deleted runs left because a server went away in between. Answers how many workspaces. */
export async function finishRemovals(
  context: Pick<Operations, "db" | "clock" | "workspaces" | "jobLogs">,
): Promise<number> {
  const workspaceIds = await workspacesToRemove(context.db);
  for (const workspaceId of workspaceIds) await removeWorkspace(context, workspaceId);
  return workspaceIds.length;
}
