import { describe, expect, test } from "vitest";
import { folderOf, type OpenBackend, removeTree } from "#backends/backend-fixture";
import { backendContract } from "#backends/contract-suite";
import { openCondorBackend } from "#backends/htcondor/condor-backend";
import { sharedPool } from "#backends/htcondor/condor-fixture";
import { condorPlace } from "#backends/htcondor/condor-place";
import { systemClock } from "#plumbing/clock";

const log = {
  error(details: object, message: string) {
    throw new Error(message, { cause: details });
  },
};

const open: OpenBackend = async (folder) => {
  const options = { hostId: "host", clock: systemClock, removeTree, log, maxOutputBytes: 2 ** 20 };
  const times = { newsMs: 50, listMs: 300, doubtMs: 1000 };
  const openIn = (in_: string) => openCondorBackend({ ...options, folder: in_, times });
  return {
    backend: openIn(folder),
    reopen: async () => openIn(folder),
    openCopy: async (files) => openIn(await folderOf(files)),
    losesOtherTokens: true,
    ownVariables: CONDOR_VARIABLES,
  };
};

/** HTCondor 23.9 gives these variables to every job. */
const CONDOR_VARIABLES = (
  "BATCH_SYSTEM HTCONDOR_JOB_ID TMPDIR TEMP TMP _CONDOR_BIN _CONDOR_MACHINE_AD _CONDOR_JOB_PIDS _CONDOR_AssignedGPUs _CONDOR_JOB_IWD " +
  "_CONDOR_CHIRP_CONFIG _CHIRP_DELAYED_UPDATE_PREFIX _CONDOR_SLOT _CONDOR_JOB_AD _CONDOR_SCRATCH_DIR PYTHON_CPU_COUNT OPENBLAS_NUM_THREADS " +
  "ROOT_MAX_THREADS CUDA_VISIBLE_DEVICES JULIA_NUM_THREADS OMP_THREAD_LIMIT CUBACORES GPU_DEVICE_ORDINAL TF_LOOP_PARALLEL_ITERATIONS " +
  "NUMEXPR_NUM_THREADS TF_NUM_THREADS APPTAINER_CACHEDIR MKL_NUM_THREADS GOMAXPROCS OMP_NUM_THREADS NVIDIA_VISIBLE_DEVICES SINGULARITY_CACHEDIR"
).split(" ");

describe("on a real HTCondor", () => {
  sharedPool();
  backendContract("The HTCondor backend", open);

  test("names its schedd in an empty queue", async () => {
    expect(await condorPlace.list({ isWhole: true })).toMatchObject({ cluster: "reprise-test@" });
  });
});
