import type { Operations } from "#operations/context";
import { crashPoint } from "#plumbing/crash-points";
import { transaction } from "#store/database/database";
import { forgetRerunEvidence, jobsToForget } from "#store/runs/reruns";
import { markWorkspaceRemoved } from "#store/workspaces/workspaces";

/**
 * Removes the files of deleted runs and what their jobs printed. The removal is recorded last and can be repeated:
 * until it is recorded, every start of the server removes again.
 */
export async function removeWorkspace(
  context: Pick<Operations, "db" | "clock" | "workspaces" | "jobLogs">,
  workspaceId: string,
): Promise<void> {
  const jobs = await jobsToForget(context.db, workspaceId);
  await context.jobLogs.remove(jobs.map(({ backend, id }) => `${backend}/${id}` as const));
  crashPoint("attempts-removed");
  await context.workspaces.of(workspaceId).remove();
  crashPoint("workspace-removed");
  const atMs = context.clock.now();
  await transaction(context.db, async (db) => {
    await forgetRerunEvidence(db, workspaceId);
    await markWorkspaceRemoved(db, workspaceId, atMs);
  });
  crashPoint("removal-recorded");
}
