import type { Backends } from "#backends/backends";
import type { Connection } from "#store/database/database";
import { openJobs } from "#store/jobs/jobs";

/** Returns the processor time that the running jobs of these runs have used so far, as far as backends can tell. */
export async function cpuMsOfRunningJobs(
  { db, backends }: { readonly db: Connection; readonly backends: Pick<Backends, "named"> },
  runIds: readonly string[],
): Promise<number> {
  const open = (await Promise.all(runIds.map((id) => openJobs(db, id)))).flat();
  const running = open.filter(({ status }) => status === "running");
  let sum = 0;
  for (const [name, jobs] of Map.groupBy(running, ({ backend }) => backend)) {
    sum += (await backends.named(name).cpuMsSoFar?.(jobs.map(({ id }) => id))) ?? 0;
  }
  return sum;
}
