import { Cluster, type ClusterJob, type ClusterOptions } from "./cluster.ts";

/** The places of jobs: a cluster shared by all hosts, or one cluster for each host. */
export class Sites {
  readonly #byHost: ReadonlyMap<string, Cluster>;

  constructor(hostIds: readonly string[], options: ClusterOptions) {
    const shared = new Cluster(options);
    this.#byHost = new Map(hostIds.map((id) => [id, options.isHostBound ? new Cluster(options) : shared]));
  }

  of(hostId: string): Cluster {
    return this.#byHost.get(hostId)!;
  }

  jobs(): ClusterJob[] {
    return [...new Set(this.#byHost.values())].flatMap((cluster) => [...cluster.jobs.values()]);
  }

  running(): ClusterJob[] {
    return this.jobs().filter((job) => job.state.status === "running");
  }

  /** Returns every record of a job. A job declared lost may be known in several places. */
  known(jobId: string): ClusterJob[] {
    return this.jobs().filter((job) => job.request.id === jobId);
  }
}
