import type { Connection } from "#store/database/database";
import { type JobPlace, jobPlacesOfWorkspace } from "#store/jobs/jobs";
import { isWorkspaceKept } from "#store/workspaces/workspaces";

interface NewRerun {
  readonly runId: string;
  readonly workspaceId: string;
  readonly sourceWorkspaceId: string;
  /** The outcome of the source's last run, in the form that the engine receives. */
  readonly previous: object | null;
}

/** Records that a run is a rerun. Must run in the transaction inserting the run. */
export async function insertRerun(db: Connection, rerun: NewRerun): Promise<void> {
  const { runId, workspaceId, sourceWorkspaceId, previous } = rerun;
  await db
    .insertInto("reruns")
    .values({
      run_id: runId,
      workspace_id: workspaceId,
      source_workspace_id: sourceWorkspaceId,
      previous: previous && JSON.stringify(previous),
    })
    .execute();
}

/** Returns what the run before the rerun did. Undefined if the run is not a rerun. */
export async function maybeRerun(
  db: Connection,
  runId: string,
): Promise<{ readonly previous: unknown } | undefined> {
  const row = await db.selectFrom("reruns").select("previous").where("run_id", "=", runId).executeTakeFirst();
  return row && { previous: row.previous === null ? null : (JSON.parse(row.previous) as unknown) };
}

/**
 * Clears evidence of no use without the files. The row stays, because it names the source of the run's logs.
 */
export async function forgetRerunEvidence(db: Connection, workspaceId: string): Promise<void> {
  await db.updateTable("reruns").set({ previous: null }).where("workspace_id", "=", workspaceId).execute();
}

/**
 * Returns the jobs with logs no longer shown by any run after the deletion of a workspace's runs. A rerun
 * shows the logs of jobs taken over, so the source's logs stay as long as the rerun does.
 */
export async function jobsToForget(db: Connection, workspaceId: string): Promise<JobPlace[]> {
  if (await isShown(db, workspaceId)) return [];
  const own = await jobPlacesOfWorkspace(db, workspaceId);
  const sources = await db
    .selectFrom("reruns")
    .select("source_workspace_id")
    .where("workspace_id", "=", workspaceId)
    .execute();
  const others: JobPlace[] = [];
  for (const { source_workspace_id: source } of sources) {
    if (!(await isWorkspaceKept(db, source))) others.push(...(await jobsToForget(db, source)));
  }
  return [...own, ...others];
}

/** Returns whether a rerun of the workspace, or a rerun of that rerun, is not deleted. */
async function isShown(db: Connection, workspaceId: string): Promise<boolean> {
  const reruns = await db
    .selectFrom("reruns")
    .select("workspace_id")
    .where("source_workspace_id", "=", workspaceId)
    .execute();
  for (const { workspace_id: rerun } of reruns) {
    if ((await isWorkspaceKept(db, rerun)) || (await isShown(db, rerun))) return true;
  }
  return false;
}
