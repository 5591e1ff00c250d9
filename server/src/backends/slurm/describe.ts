import type { SentJob } from "#backends/record/place";
import { maybeSlurmTimeMs } from "#backends/slurm/slurm-time";
import { printable } from "#plumbing/text/printable";
import type { BackendChoice, Job } from "#workflow/job/job";

type Value = string | number | boolean;

/** The options of a step for Slurm, under REANA's names. */
function optionsOf({ backend }: Pick<Job, "backend">): NonNullable<BackendChoice["options"]> {
  return backend?.options ?? {};
}

/** Returns the arguments of `sbatch` for a job. */
export function sbatchWords({ name, job, orderFile, saidFile }: SentJob): readonly string[] {
  const options = optionsOf(job);
  const { limits = {}, resources } = job;
  const given: typeof options = { ...options, ...gresWith(options["slurm_gres"], resources?.gpus ?? 0) };
  const memoryBytes = limits.memoryBytes ?? resources?.memoryBytes ?? 0;
  const cores = Math.ceil(limits.cores ?? resources?.cores ?? 0);
  return [
    "--parsable",
    // Slurm would run the script again if the node is lost. The claim holds in any case.
    "--no-requeue",
    "--chdir=/",
    "--open-mode=append",
    `--job-name=${name}`,
    `--comment=${printable(job.name, COMMENT_MAX_CHARACTERS)}`,
    `--output=${saidFile}`,
    ...NAMED.flatMap((one) => namedWords(one, given[one.key])),
    ...timeWords(options["slurm_time"], limits.timeMs),
    ...(memoryBytes > 0 ? [`--mem=${Math.ceil(memoryBytes / 2 ** 20)}M`] : []),
    ...(cores > 0 ? [`--cpus-per-task=${cores}`] : []),
    orderFile,
  ];
}

const COMMENT_MAX_CHARACTERS = 100;

/** An option of a step that `sbatch` takes as it is. Only names reach a command line. */
interface Named {
  readonly key: `slurm_${string}`;
  readonly option: string;
  readonly form: RegExp;
  readonly wanted: string;
}

const NAMES = /^[\w.+-]+(,[\w.+-]+)*$/;
const NAME = /^[\w.+-]+$/;
const GRES = /^[\w.+-]+(:[\w.+-]+){0,2}(,[\w.+-]+(:[\w.+-]+){0,2})*$/;
const NAMED: readonly Named[] = [
  named("partition", NAMES, "the name of a partition, or several with commas"),
  named("account", NAME, "the name of an account"),
  named("qos", NAME, "the name of a quality of service"),
  named("reservation", NAMES, "the name of a reservation, or several with commas"),
  named("gres", GRES, "generic resources of a node, such as gpu:1 or gpu:a100:2"),
];

function named(option: string, form: RegExp, wanted: string): Named {
  return { key: `slurm_${option}`, option, form, wanted };
}

function namedWords({ key, option, form, wanted }: Named, value: Value | undefined): readonly string[] {
  if (value === undefined) return [];
  if (!form.test(String(value))) throw refusal(key, value, wanted);
  return [`--${option}=${String(value)}`];
}

/**
 * Adds the GPUs of a step to its own `slurm_gres`. `sbatch` would take only the last of two options. If a step
 * names GPUs in `slurm_gres`, this text wins, because it may name the kind of the GPU.
 */
function gresWith(gres: Value | undefined, gpus: number): { readonly slurm_gres?: Value } {
  if (gpus === 0 || /(^|,)gpu(:|,|$)/.test(String(gres ?? ""))) return {};
  return { slurm_gres: gres === undefined ? `gpu:${gpus}` : `${gres},gpu:${gpus}` };
}

/** The supervisor ends the job at its limit. Slurm, which counts minutes, is the second line. */
function timeWords(slurmTime: Value | undefined, timeMs: number | undefined): readonly string[] {
  if (slurmTime !== undefined) {
    if (maybeSlurmTimeMs(slurmTime) === undefined)
      throw refusal("slurm_time", slurmTime, "a time of Slurm, such as 60 or 1-12:00:00");
    return [`--time=${String(slurmTime)}`];
  }
  return timeMs === undefined ? [] : [`--time=${Math.ceil(timeMs / 60_000)}`];
}

function refusal(key: string, value: Value, wanted: string): Error {
  return new Error(`The step's ${key} is ${printable(JSON.stringify(value), 100)}: it must be ${wanted}.`);
}

/** Returns the time limit that a step set for Slurm, in milliseconds. */
export function maybeOwnTimeMs(job: Pick<Job, "backend">): number | undefined {
  const { slurm_time: time } = optionsOf(job);
  return time === undefined ? undefined : maybeSlurmTimeMs(time);
}
