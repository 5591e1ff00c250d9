import { CONDOR_CPUS, CONDOR_SIZE } from "#workflow/specification/condor-amounts";
import { isRemote } from "#workflow/specification/remote-inputs";
import { isObject, type Shape } from "#workflow/specification/shape";
import { isGpuKey } from "#workflow/job/gpus";
import { isUnmetWish } from "#workflow/unmet-wishes";
import { isWished } from "#workflow/wished";

/** REANA's schema of `reana.yaml`, except for fields that `check-specification.ts` refuses outright. */

const STRING: Shape = { type: "string" };
const BOOLEAN: Shape = { type: "boolean" };
const INTEGER: Shape = { type: "integer" };
const STRINGS: Shape = { type: "array", items: STRING };
/** Not in REANA: an input that is fetched from an address. */
const INPUTS: Shape = { type: "array", items: { type: "string", alsoFits: isRemote } };
/** Not in REANA: where the outputs are published. */
const DESTINATION: Shape = { type: "string", alsoFits: isObject };
const ANY_OBJECT: Shape = { type: "object" };
/** REANA's clients send null for a workflow whose files the server reads. */
const LOADED_LATER: Shape = { type: "object", mayBeNull: true };

const MEMORY: Shape = { type: "string", pattern: /^([0-9]+|[0-9]+(\.[0-9]+)?[EPTGMK]i?)$/ };
const CPU: Shape = { type: "string", pattern: /^([1-9][0-9]*m|0*[1-9][0-9]*(\.[0-9]+)?|0*\.0*[1-9][0-9]*)$/ };
const DASK_MEMORY: Shape = { type: "string", pattern: /^[1-9][0-9]*(Ei|Pi|Ti|Gi|Mi|Ki|E|P|T|G|M|K)$/ };
const CONDOR_AMOUNT: Shape = { type: "string", pattern: CONDOR_SIZE };
const CONDOR_RUNTIME: Shape = {
  type: "string",
  pattern: /^([0-9]+|espresso|microcentury|longlunch|workday|tomorrow|testmatch|nextweek)$/,
};

const SERIAL_STEP: Shape = {
  type: "object",
  required: ["environment"],
  // An addition to REANA: GPUs. Their number is checked elsewhere, against the devices of the server.
  isReported: (key, value) => isGpuKey(key) || isUnmetWish(key, value),
  keys: {
    name: STRING,
    commands: STRINGS,
    environment: STRING,
    // The known words depend on the server's capabilities, and are checked elsewhere.
    compute_backend: STRING,
    kubernetes_cpu_request: CPU,
    kubernetes_cpu_limit: CPU,
    kubernetes_memory_request: MEMORY,
    kubernetes_memory_limit: MEMORY,
    kubernetes_job_timeout: INTEGER,
    kubernetes_uid: INTEGER,
    unpacked_img: BOOLEAN,
    kerberos: BOOLEAN,
    voms_proxy: BOOLEAN,
    rucio: BOOLEAN,
    htcondor_max_runtime: CONDOR_RUNTIME,
    htcondor_accounting_group: STRING,
    htcondor_request_cpus: { type: "string", pattern: CONDOR_CPUS },
    htcondor_request_memory: CONDOR_AMOUNT,
    htcondor_request_disk: CONDOR_AMOUNT,
    htcondor_requirements: STRING,
    slurm_partition: STRING,
    slurm_time: STRING,
    // Not in REANA: further options of Slurm.
    slurm_account: STRING,
    slurm_qos: STRING,
    slurm_reservation: STRING,
    slurm_gres: STRING,
    c4p_cpu_cores: STRING,
    c4p_memory_limit: STRING,
    c4p_additional_requirements: STRING,
    // Not in REANA: retries of a failed command. Their values are checked at the start of a run.
    retries: INTEGER,
    retry_delay: { type: "number" },
    retry_on: STRINGS,
    // An addition to REANA: whether independent steps still run after this step has failed.
    on_failure: STRING,
  },
};

const SERIAL_SPECIFICATION: Shape = {
  type: "object",
  keys: { steps: { type: "array", minItems: 1, items: SERIAL_STEP } },
};

const RESOURCES: Shape = {
  type: "object",
  isReported: (key, value) => (isGpuKey(key) && isWished(value)) || isUnmetWish(key, value),
  keys: {
    cvmfs: {
      type: "array",
      uniqueItems: true,
      items: { type: "string", pattern: /^[a-zA-Z0-9][a-zA-Z0-9.\-_]{0,59}$/ },
    },
    kerberos: BOOLEAN,
    voms_proxy: BOOLEAN,
    rucio: BOOLEAN,
    dask: {
      type: "object",
      required: ["image"],
      keys: {
        image: STRING,
        number_of_workers: INTEGER,
        single_worker_memory: DASK_MEMORY,
        single_worker_threads: INTEGER,
      },
    },
  },
};

/** `inputs.files` and `inputs.directories` have more rules: see `input-paths.ts`. */
export function reanaShape(isSerial: boolean): Shape {
  return {
    type: "object",
    keys: {
      version: STRING,
      inputs: {
        type: "object",
        keys: { files: INPUTS, directories: INPUTS, parameters: ANY_OBJECT, options: ANY_OBJECT },
      },
      workflow: {
        type: "object",
        keys: {
          type: STRING,
          file: STRING,
          specification: isSerial ? SERIAL_SPECIFICATION : LOADED_LATER,
          files: { ...STRINGS, maxItems: 1000 },
          directories: { ...STRINGS, maxItems: 1000 },
          parameters: { type: "object", keys: { file: STRING } },
          resources: RESOURCES,
        },
      },
      outputs: { type: "object", keys: { files: STRINGS, directories: STRINGS, destination: DESTINATION } },
      tests: { type: "object", keys: { files: STRINGS } },
      workspace: {
        type: "object",
        keys: {
          root_path: STRING,
          keep: STRING,
          retention_days: { type: "object", minProperties: 1, values: { type: "integer", minimum: 0 } },
        },
      },
    },
  };
}
