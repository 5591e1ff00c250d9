import type { FileServices } from "#operations/files/services";
import { crashPoint } from "#plumbing/crash-points";
import { transaction } from "#store/database/database";
import { forgetRerunEvidence, jobsToForget } from "#store/runs/reruns";
import { markWorkspaceRemoved } from "#store/workspaces/workspaces";

export type RemovalContext = Pick<
  FileServices,
  "db" | "clock" | "workspaces" | "jobLogs" | "unfinishedRemovals"
>;

/**
 * Removes the files and job logs of deleted runs. The removal is recorded last. Until
 * then this server repeats the removal periodically, and every server repeats it at the start.
 */
export async function removeWorkspace(context: RemovalContext, workspaceId: string): Promise<void> {
  try {
    await removeFiles(context, workspaceId);
    context.unfinishedRemovals.delete(workspaceId);
  } catch (error) {
    context.unfinishedRemovals.add(workspaceId);
    throw error;
  }
}

/** Tries again to remove what could not be removed before. Throws the first failure after the last attempt. */
export async function retryRemovals(context: RemovalContext): Promise<void> {
  const failures: unknown[] = [];
  for (const id of context.unfinishedRemovals) {
    await removeWorkspace(context, id).catch((error: unknown) => void failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

async function removeFiles(context: RemovalContext, workspaceId: string): Promise<void> {
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
