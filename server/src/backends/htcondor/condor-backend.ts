import path from "node:path";
import process from "node:process";
import type { Backend } from "#backends/backend";
import { condorPlace } from "#backends/htcondor/condor-place";
import { maybeOwnTimeMs } from "#backends/htcondor/describe";
import { placeProblem } from "#backends/record/place-problem";
import { RECORD_FEATURES } from "#backends/record/features";
import { openRecordBackend, type RecordBackendOptions } from "#backends/record/record-backend";
import { openRecordReader } from "#backends/record/record-reader";
import { systemClock } from "#plumbing/clock";
import type { BackendCapabilities } from "#workflow/capabilities";

/** The name of the backend in job rows and in REANA's job records. */
export const HTCONDOR = "HTCondor";

/** The words of `compute_backend`: the first one is REANA's. */
export const HTCONDOR_CAPABILITIES: BackendCapabilities = {
  computeBackends: ["htcondorcern", "htcondor"],
  provides: () => RECORD_FEATURES,
  maxGpus: () => Infinity,
};

/** The folder of the records, below the folder of all jobs. */
const FOLDER = "htcondor";

type CondorOptions = Pick<
  RecordBackendOptions,
  "hostId" | "clock" | "removeTree" | "log" | "maxOutputBytes" | "times" | "environment"
> & {
  /** The folder of all jobs, which every node sees at the same path. */
  readonly folder: string;
};

/** Returns why this process cannot run jobs on HTCondor. */
export async function condorProblem(): Promise<string | undefined> {
  if (process.getuid?.() === 0) return "HTCondor takes no jobs from root: start the server as another user.";
  return placeProblem(condorPlace);
}

/** Opens the logs of HTCondor jobs for a process that runs no jobs. */
export function openCondorReader(folder: string): Backend {
  return openRecordReader({
    name: HTCONDOR,
    capabilities: HTCONDOR_CAPABILITIES,
    root: path.join(folder, FOLDER),
    exportPath: FOLDER,
    clock: systemClock,
  });
}

/** Runs jobs on HTCondor. The commands of HTCondor are programs of this machine. */
export function openCondorBackend({ folder, ...options }: CondorOptions): Backend {
  return openRecordBackend({
    ...options,
    capabilities: HTCONDOR_CAPABILITIES,
    place: condorPlace,
    root: path.join(folder, FOLDER),
    exportPath: FOLDER,
    outsideVariables: { id: "HTCONDOR_JOB_ID", restart: "HTCONDOR_RESTARTS" },
    ownTimeMs: ({ job }) => maybeOwnTimeMs(job),
  });
}
