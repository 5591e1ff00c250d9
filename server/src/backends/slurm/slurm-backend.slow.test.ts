import { describe, expect, test } from "vitest";
import { folderOf, type OpenBackend, removeTree } from "#backends/backend-fixture";
import { backendContract } from "#backends/contract-suite";
import { openSlurmBackend } from "#backends/slurm/slurm-backend";
import { HAS_SLURM, sharedSlurm } from "#backends/slurm/slurm-fixture";
import { openSlurm } from "#backends/slurm/slurm-place";
import { systemClock } from "#plumbing/clock";

const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};

const open: OpenBackend = async (folder) => {
  const options = { hostId: "host", clock: systemClock, removeTree, log, maxOutputBytes: 2 ** 20 };
  const times = { newsMs: 50, listMs: 300, doubtMs: 1000 };
  const openIn = (in_: string) => openSlurmBackend({ ...options, folder: in_, times });
  return {
    backend: openIn(folder),
    reopen: async () => openIn(folder),
    openCopy: async (files) => openIn(await folderOf(files)),
    losesOtherTokens: true,
    ownVariables: SLURM_VARIABLES,
  };
};

/** Slurm 22.05 gives these variables to every job. */
const SLURM_VARIABLES = (
  "ENVIRONMENT SHELL TMPDIR USER LOGNAME SLURM_CLUSTER_NAME SLURM_CONF SLURM_CPUS_ON_NODE SLURM_GTIDS SLURM_JOBID " +
  "SLURM_JOB_CPUS_PER_NODE SLURM_JOB_GID SLURM_JOB_ID SLURM_JOB_NAME SLURM_JOB_NODELIST SLURM_JOB_NUM_NODES " +
  "SLURM_JOB_PARTITION SLURM_JOB_UID SLURM_JOB_USER SLURM_LOCALID SLURM_MEM_PER_CPU SLURM_MEM_PER_NODE SLURM_NNODES " +
  "SLURM_NODEID SLURM_NODELIST SLURM_NODE_ALIASES SLURM_PRIO_PROCESS SLURM_PROCID SLURM_SUBMIT_DIR SLURM_SUBMIT_HOST " +
  "SLURM_TASKS_PER_NODE SLURM_TASK_PID SLURM_TOPOLOGY_ADDR SLURM_TOPOLOGY_ADDR_PATTERN SLURM_WORKING_CLUSTER SLURMD_NODENAME"
).split(" ");

describe.runIf(HAS_SLURM)("on a real Slurm", () => {
  sharedSlurm();

  // This test comes first: a real Slurm lists ended jobs for some time.
  test("names its cluster in an empty queue", async () => {
    await expect(openSlurm(systemClock).place.list({ isWhole: true })).resolves.toMatchObject({
      cluster: "reprise-test",
      jobs: new Map(),
    });
  });

  backendContract("The Slurm backend", open);
});
