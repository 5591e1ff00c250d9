import type { Connection } from "#store/database/database";
import type { RecordedJobStatus } from "#workflow/job/job";
import { SCHEDULER_KEY } from "#workflow/specification/dask";

/** The running scheduler of a run's Dask cluster. */
export interface DaskScheduler {
  readonly runId: string;
  readonly jobId: string;
  readonly backend: string;
  /** The only host on which the job can be reached. Null if the backend is not bound to one. */
  readonly hostId: string | null;
  /** True if the owner of the run may no longer sign in. */
  readonly isOwnerDisabled: boolean;
}

export async function maybeScheduler(db: Connection, runId: string): Promise<DaskScheduler | undefined> {
  const row = await db
    .selectFrom("jobs")
    .innerJoin("runs", "runs.id", "jobs.run_id")
    .innerJoin("users", "users.id", "runs.owner_id")
    .select(["jobs.id", "jobs.backend", "jobs.host_id", "users.disabled_at"])
    .where("jobs.run_id", "=", runId)
    .where("jobs.key", "=", SCHEDULER_KEY)
    .where("jobs.status", "=", "running")
    .executeTakeFirst();
  return (
    row && {
      runId,
      jobId: row.id,
      backend: row.backend,
      hostId: row.host_id,
      isOwnerDisabled: row.disabled_at !== null,
    }
  );
}

/** Returns the status of each job that is the scheduler of a Dask cluster, by run. A run without a cluster is absent. */
export async function schedulersOf(
  db: Connection,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RecordedJobStatus>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("jobs")
    .select(["run_id", "status"])
    .where("run_id", "in", runIds)
    .where("key", "=", SCHEDULER_KEY)
    .execute();
  return new Map(rows.map((row) => [row.run_id, row.status]));
}
