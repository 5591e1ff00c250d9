import { BackendAwayError } from "#backends/backend";
import { type ClusterCommands, lastLine } from "#backends/record/cluster-commands";
import type { Listing, Place, SentJob } from "#backends/record/place";
import { sbatchWords } from "#backends/slurm/describe";
import { type Partition, PARTITION_WORDS, partitionsIn } from "#backends/slurm/partitions";
import { slurmCommands } from "#backends/slurm/slurm-commands";
import { type LoginHostOptions, openLoginHost } from "#backends/slurm/ssh/login-host";
import type { Clock } from "#plumbing/clock";
import { clusterIn, parseSqueue, silentNodesIn, squeueWords } from "#backends/slurm/squeue";

/** Limit on the jobs of one call of `scancel`, whose arguments have a limited length. */
const CANCELLED_AT_ONCE = 1000;

/** Time for which a listing of the partitions is used. An administrator changes partitions by hand, and seldom. */
const PARTITIONS_MS = 60_000;

interface KnownPartitions {
  readonly partitions: readonly Partition[];
  readonly atMs: number;
}

/** Returns a function that lists the partitions. The list is empty if the cluster does not answer: Slurm judges the job later. */
function partitionsOf(
  slurm: ClusterCommands,
  clock: Pick<Clock, "elapsedMs">,
): () => Promise<readonly Partition[]> {
  let known: KnownPartitions | undefined;
  return async () => {
    if (known && clock.elapsedMs() - known.atMs < PARTITIONS_MS) return known.partitions;
    const { code, stdout } = await slurm.run("sinfo", PARTITION_WORDS);
    if (code !== 0) return [];
    known = { partitions: partitionsIn(stdout), atMs: clock.elapsedMs() };
    return known.partitions;
  };
}

/** Slurm by its own commands, on a host that can submit jobs. */
function placeBy(slurm: ClusterCommands): Place {
  return {
    name: "Slurm",
    reusesIds: true,

    async send(job: SentJob): Promise<string> {
      const result = await slurm.submit("sbatch", sbatchWords(job));
      if (result.code !== 0) throw slurm.failure("sbatch", result);
      // A site may print a banner first. With several clusters, the name of the cluster follows.
      const id = /^(\d+)(;\S+)?$/m.exec(result.stdout)?.[1];
      if (id === undefined)
        throw new BackendAwayError(`sbatch printed no number of a job: ${lastLine(result.stdout)}.`);
      return id;
    },

    async list({ isWhole }): Promise<Listing> {
      const { jobs, cluster: listed } = parseSqueue(await slurm.output("squeue", squeueWords({ isWhole })));
      const cluster = listed ?? clusterIn(await slurm.output("scontrol", ["show", "config"]));
      if (!isWhole) return { cluster, jobs, silentNodes: new Map() };
      const nodes = await slurm.output("sinfo", ["--noheader", "--Node", "--format=%N|%t"]);
      return { cluster, jobs, silentNodes: silentNodesIn(nodes) };
    },

    async end(outsideIds) {
      for (let at = 0; at < outsideIds.length; at += CANCELLED_AT_ONCE) {
        const some = outsideIds.slice(at, at + CANCELLED_AT_ONCE);
        const result = await slurm.run("scancel", ["--quiet", ...some]);
        if (result.code !== 0 && slurm.isAway(result)) throw slurm.failure("scancel", result);
      }
    },
  };
}

/** A cluster of Slurm: its jobs, and its partitions. */
export interface SlurmCluster {
  readonly place: Place;
  readonly partitions: () => Promise<readonly Partition[]>;
}

/** The host on which Slurm's commands run. Default: this machine. */
export type SlurmLogin = Pick<LoginHostOptions, "host" | "configFile">;

/** Opens a cluster of Slurm. The first command connects to the login host. */
export function openSlurm(clock: Pick<Clock, "elapsedMs">, login?: SlurmLogin): SlurmCluster {
  const loginHost = login && openLoginHost({ ...login, clock });
  const slurm = slurmCommands(loginHost);
  const place = { ...placeBy(slurm), ...(loginHost && { close: () => loginHost.close() }) };
  return { place, partitions: partitionsOf(slurm, clock) };
}
