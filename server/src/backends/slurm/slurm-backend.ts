import path from "node:path";
import type { Backend } from "#backends/backend";
import { openRecordBackend, type RecordBackendOptions } from "#backends/record/record-backend";
import { openRecordReader } from "#backends/record/record-reader";
import { RECORD_FEATURES } from "#backends/record/features";
import { maybeOwnTimeMs } from "#backends/slurm/describe";
import { partitionProblems } from "#backends/slurm/partitions";
import { partitionsOfCluster, slurmPlace } from "#backends/slurm/slurm-place";
import { systemClock } from "#plumbing/clock";
import type { BackendCapabilities } from "#workflow/capabilities";

/** The name of the backend in job rows and in REANA's job records. */
export const SLURM = "Slurm";

/** The words of `compute_backend`: the first one is REANA's. */
export const SLURM_CAPABILITIES: BackendCapabilities = {
  computeBackends: ["slurmcern", "slurm"],
  provides: () => RECORD_FEATURES,
  maxGpus: () => Infinity,
  optionProblems: async (demands) => partitionProblems(demands, await partitionsOfCluster(systemClock)),
};

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

/** Runs jobs on Slurm. The commands of Slurm are programs of this machine. */
export function openSlurmBackend({ folder, ...options }: SlurmOptions): Backend {
  return openRecordBackend({
    capabilities: SLURM_CAPABILITIES,
    ...options,
    place: slurmPlace,
    root: path.join(folder, FOLDER),
    exportPath: FOLDER,
    outsideVariables: { id: "SLURM_JOB_ID", restart: "SLURM_RESTART_COUNT", node: "SLURMD_NODENAME" },
    ownTimeMs: ({ job }) => maybeOwnTimeMs(job),
  });
}
