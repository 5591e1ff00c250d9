import { Cluster, type ClusterJob, type ClusterOptions } from "./cluster.ts";

/** Where jobs run: one cluster that all hosts share, or each host for itself. */
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

  /** A job that was declared lost may be known in several places. */
  known(jobId: string): ClusterJob[] {
    return this.jobs().filter((job) => job.request.id === jobId);
  }
}
