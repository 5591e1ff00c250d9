import { sql } from "kysely";
import type { Connection } from "#store/database/database";

/** A job left running by a host declared lost. */
export interface GivenUpJob {
  readonly id: string;
  readonly backend: string;
  readonly runId: string;
  readonly workspaceId: string;
  readonly hostToken: string;
  /** True if the run is deleted, so no data of the job is needed any more. */
  readonly isDeleted: boolean;
  /** True if the files of its workspace were removed. The job may have written new ones since. */
  readonly areFilesRemoved: boolean;
}

/**
 * Returns the jobs of a host given up by other hosts, or about to be: jobs counted as ended without an end of
 * their own, and jobs of runs now held by another host, which is possible only after a declaration.
 */
export async function jobsGivenUp(db: Connection, hostId: string): Promise<GivenUpJob[]> {
  const rows = await db
    .selectFrom("jobs")
    .innerJoin("runs", "runs.id", "jobs.run_id")
    .innerJoin("workspaces", "workspaces.id", "runs.workspace_id")
    .select(["jobs.id", "jobs.backend", "jobs.run_id", "runs.workspace_id", "jobs.host_token", "runs.status"])
    .select("workspaces.removed_at")
    .where("jobs.host_id", "=", hostId)
    .where(
      sql<boolean>`(jobs.reason in ('lost', 'cancelled', 'not-started')
        or (jobs.status = 'running' and runs.held_by <> ${hostId}))`,
    )
    .execute();
  return rows.map((row) => ({
    id: row.id,
    backend: row.backend,
    runId: row.run_id,
    workspaceId: row.workspace_id,
    hostToken: row.host_token,
    isDeleted: row.status === "deleted",
    areFilesRemoved: row.removed_at !== null,
  }));
}
