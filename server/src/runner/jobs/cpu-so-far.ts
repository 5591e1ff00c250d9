import type { Backends } from "#backends/backends";
import type { Connection } from "#store/database/database";
import { runningJobsOfOwner } from "#store/jobs/jobs";

/** Returns the processor time of a user's running jobs so far, as far as backends know. */
export async function cpuMsOfRunningJobs(
  { db, backends }: { readonly db: Connection; readonly backends: Pick<Backends, "named"> },
  ownerId: string,
): Promise<number> {
  const running = await runningJobsOfOwner(db, ownerId);
  let sum = 0;
  for (const [name, jobs] of Map.groupBy(running, ({ backend }) => backend)) {
    sum += (await backends.named(name).cpuMsSoFar?.(jobs.map(({ id }) => id))) ?? 0;
  }
  return sum;
}
