import { backendChoice } from "#engines/steps/backend-choice";
import {
  credentialChoice,
  cvmfsMounts,
  userChoice,
  userProblems,
  wishProblems,
} from "#engines/steps/container-demands";
import { gpuProblems } from "#engines/steps/gpus";
import { limitProblems, memoryBytes, timeLimitMs } from "#engines/steps/limits";
import type { EngineInput } from "#engines/engine";
import type { Reason, RequestedJob } from "#engines/snakemake/messages";
import { nodeOf } from "#engines/snakemake/picture";
import { placesOf } from "#engines/snakemake/planner-job";
import type { Decision } from "#workflow/job/decision";
import { gpusIn, withGpus } from "#workflow/job/gpus";
import type { Job } from "#workflow/job/job";

/** The variables by which Snakemake sets the number of threads of linear algebra libraries. */
const THREAD_VARIABLES = [
  "OMP_NUM_THREADS",
  "GOTO_NUM_THREADS",
  "OPENBLAS_NUM_THREADS",
  "MKL_NUM_THREADS",
  "VECLIB_MAXIMUM_THREADS",
  "NUMEXPR_NUM_THREADS",
];
const FOLDER_VARIABLES = ["TMPDIR", "TMP", "TEMPDIR", "TEMP"];
const SEARCH_PATHS = new Set(["PATH", "LD_LIBRARY_PATH"]);
const MEGABYTE = 1_000_000;

/** Returns a requested job as a job of the run. */
export function jobOf(input: EngineInput, request: RequestedJob, attempt: number): Job {
  const { key, name, command, shown, image, resources } = request;
  return {
    key,
    name,
    node: nodeOf(request.rule),
    command: typeof command === "string" ? { script: command } : { argv: command },
    displayCommand: shown,
    image,
    ...(image === null && request.needsSnakemake && { isHostProgram: true }),
    environment: {
      XDG_CACHE_HOME: `${input.run.workspaceFolder}/${placesOf(input).cache}`,
      ...ownVariables(request),
      ...Object.fromEntries(THREAD_VARIABLES.map((variable) => [variable, String(request.threads)])),
      ...(request.tmpdir !== null &&
        Object.fromEntries(FOLDER_VARIABLES.map((one) => [one, request.tmpdir!]))),
    },
    ...(attempt > 1 && { attempt }),
    ...(request.logs.length > 0 && { logFiles: request.logs }),
    ...reservation(request),
    ...backendChoice(resources),
    ...userChoice(resources),
    ...cvmfsMounts(input.specification),
    ...credentialChoice(resources, input.specification),
  };
}

/** Returns the variables set by the Snakefile. Search paths of this machine are dropped for jobs in an image. */
function ownVariables({ environment, image }: RequestedJob): Readonly<Record<string, string>> {
  if (image === null) return environment;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SEARCH_PATHS.has(name)));
}

/** Reserves the threads and the memory requested by a rule, and sets the limits known to REANA. */
function reservation({ threads, memoryMb, resources }: RequestedJob): Pick<Job, "limits" | "resources"> {
  const limitBytes = memoryBytes(resources);
  const timeMs = timeLimitMs(resources);
  const limits = { ...(timeMs !== null && { timeMs }), ...(limitBytes > 0 && { memoryBytes: limitBytes }) };
  return {
    ...withGpus(
      { cores: threads, memoryBytes: Math.max(memoryMb * MEGABYTE, limitBytes) },
      gpusIn(resources),
    ),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

/** Returns why a job is impossible: a resource of the rule cannot be read or granted. */
export function maybeProblem({ rule, resources }: RequestedJob): string | undefined {
  const [problem] = [
    ...limitProblems(resources, 0),
    ...userProblems(resources, 0),
    ...wishProblems(resources, 0),
    ...gpuProblems(resources, 0),
  ];
  return problem?.message.replace(/^Step 1:/, `Rule "${rule}":`);
}

/** Returns why Snakemake runs a job, as a decision about it. Undefined if Snakemake did not say. */
export function maybeDecision(reason: Reason | null): Decision | undefined {
  const [first] = reason?.facts ?? [];
  if (!reason || !first) return undefined;
  const facts = reason.facts.map(([kind, file]) => ({
    field: file === null ? kind : `${kind} ${file}`,
    before: null,
    now: true,
  }));
  return { kind: first[0], facts, sentence: `Snakemake: ${reason.sentence.replace(/\.?$/, ".")}` };
}
