import path from "node:path";
import type { Backend } from "#backends/backend";
import { openRecordBackend, type RecordBackendOptions } from "#backends/record/record-backend";
import { openRecordReader } from "#backends/record/record-reader";
import { imagePolicy } from "#backends/containers/images/image-policy";
import type { NodeContainers } from "#backends/record/node-containers";
import { RECORD_FEATURES } from "#backends/record/features";
import { maybeOwnTimeMs } from "#backends/slurm/describe";
import { partitionProblems } from "#backends/slurm/partitions";
import { openSlurm, type SlurmCluster, type SlurmLogin } from "#backends/slurm/slurm-place";
import { systemClock } from "#plumbing/clock";
import type { BackendCapabilities } from "#workflow/capabilities";

/** The name of the backend in job rows and in REANA's job records. */
export const SLURM = "Slurm";

/** The words of `compute_backend`: the first one is REANA's. */
export const SLURM_CAPABILITIES: BackendCapabilities = capabilitiesOf(openSlurm(systemClock));

function capabilitiesOf({ partitions }: SlurmCluster, containers?: NodeContainers): BackendCapabilities {
  return {
    ...(containers && imagePolicy(containers)),
    computeBackends: ["slurmcern", "slurm"],
    provides: () => (containers ? [...RECORD_FEATURES, "image"] : RECORD_FEATURES),
    maxGpus: () => Infinity,
    optionProblems: async (demands) => partitionProblems(demands, await partitions()),
  };
}

/** The folder of the records, below the folder of all jobs. */
const FOLDER = "slurm";

export type SlurmOptions = Pick<
  RecordBackendOptions,
  "hostId" | "clock" | "removeTree" | "log" | "maxOutputBytes" | "times"
> & {
  /** The folder of all jobs, which every node sees at the same path. */
  readonly folder: string;
  readonly environment?: RecordBackendOptions["environment"];
  readonly capabilities?: BackendCapabilities;
  /** The host where Slurm's commands run. Default: this machine. */
  readonly login?: SlurmLogin | undefined;
  /** How the nodes run steps with an image. Default: without the image. */
  readonly nodeContainers?: NodeContainers | undefined;
};

/** Opens the logs of Slurm jobs for a process that runs no jobs. */
export function openSlurmReader(folder: string): Backend {
  return openRecordReader({
    name: SLURM,
    capabilities: SLURM_CAPABILITIES,
    root: path.join(folder, FOLDER),
    exportPath: FOLDER,
    clock: systemClock,
  });
}

/** Runs jobs on Slurm. The commands of Slurm are programs of this machine or of a login host. */
export function openSlurmBackend({ folder, login, ...options }: SlurmOptions): Backend {
  const cluster = openSlurm(options.clock, login);
  return openRecordBackend({
    capabilities: capabilitiesOf(cluster, options.nodeContainers),
    ...options,
    place: cluster.place,
    root: path.join(folder, FOLDER),
    exportPath: FOLDER,
    outsideVariables: { id: "SLURM_JOB_ID", restart: "SLURM_RESTART_COUNT", node: "SLURMD_NODENAME" },
    ownTimeMs: ({ job }) => maybeOwnTimeMs(job),
  });
}
