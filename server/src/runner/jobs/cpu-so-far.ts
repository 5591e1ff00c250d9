import type { Backends } from "#backends/backends";
import type { Connection } from "#store/database/database";
import { runningJobsOfOwner } from "#store/jobs/jobs";

interface CpuContext {
  readonly db: Connection;
  readonly backends: Pick<Backends, "named">;
  readonly hostId: string;
  /** Returns the processor time of jobs that only another host sees; 0 if its server does not answer. */
  readonly cpuMsOn?:
    | ((hostId: string, backend: string, ids: readonly string[]) => Promise<number>)
    | undefined;
}

/** Returns the processor time of a user's running jobs so far, as far as backends know. */
export async function cpuMsOfRunningJobs(
  { db, backends, hostId, cpuMsOn }: CpuContext,
  ownerId: string,
): Promise<number> {
  const running = await runningJobsOfOwner(db, ownerId);
  const isHere = (host: string | null) => cpuMsOn === undefined || host === null || host === hostId;
  const byPlace = Map.groupBy(running, (job) => `${isHere(job.host_id) ? "" : job.host_id}/${job.backend}`);
  let sum = 0;
  for (const jobs of byPlace.values()) {
    const [{ backend, host_id: host } = jobs[0]!] = jobs;
    const ids = jobs.map(({ id }) => id);
    sum += isHere(host)
      ? ((await backends.named(backend).cpuMsSoFar?.(ids)) ?? 0)
      : await cpuMsOn!(host!, backend, ids);
  }
  return sum;
}
