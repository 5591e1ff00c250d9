import type { ServerServices } from "#operations/service/services";
import { countHosts, type HostCounts } from "#store/hosts/hosts";
import { countLiveRuns, countOpenJobs, type OpenJobs } from "#store/runs/totals";

/** Load of the service, over all users. */
export interface Load {
  readonly hosts: HostCounts;
  readonly jobs: OpenJobs;
  readonly runs: { readonly running: number; readonly pending: number; readonly queued: number };
  /** Number of runs and cores that all present hosts have together, each counted with the limits of this host. */
  readonly capacity: { readonly runs: number; readonly cores: number };
}

export async function getLoad({ db, limits }: Pick<ServerServices, "db" | "limits">): Promise<Load> {
  const hosts = await countHosts(db);
  const runs = await countLiveRuns(db);
  const of = (status: "running" | "pending" | "queued") => runs.get(status) ?? 0;
  return {
    hosts,
    jobs: await countOpenJobs(db),
    runs: { running: of("running"), pending: of("pending"), queued: of("queued") },
    capacity: { runs: hosts.present * limits.maxRunsAtOnce, cores: hosts.present * limits.cores },
  };
}
