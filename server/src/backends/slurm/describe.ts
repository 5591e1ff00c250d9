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
  const { slurm_partition: partition, slurm_time: time } = optionsOf(job);
  const { limits = {}, resources } = job;
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
    ...(partition === undefined ? [] : [`--partition=${checked("slurm_partition", partition, PARTITION)}`]),
    ...timeWords(time, limits.timeMs),
    ...(memoryBytes > 0 ? [`--mem=${Math.ceil(memoryBytes / 2 ** 20)}M`] : []),
    ...(cores > 0 ? [`--cpus-per-task=${cores}`] : []),
    orderFile,
  ];
}

const COMMENT_MAX_CHARACTERS = 100;
const PARTITION = /^[\w.+-]+(,[\w.+-]+)*$/;

/** The supervisor ends the job at its limit. Slurm, which counts minutes, is the second line. */
function timeWords(slurmTime: Value | undefined, timeMs: number | undefined): readonly string[] {
  if (slurmTime !== undefined) {
    if (maybeSlurmTimeMs(slurmTime) === undefined)
      throw refusal("slurm_time", slurmTime, "a time of Slurm, such as 60 or 1-12:00:00");
    return [`--time=${String(slurmTime)}`];
  }
  return timeMs === undefined ? [] : [`--time=${Math.ceil(timeMs / 60_000)}`];
}

function checked(key: string, value: Value, form: RegExp): string {
  const text = String(value);
  if (!form.test(text)) throw refusal(key, value, "the name of a partition, or several with commas");
  return text;
}

function refusal(key: string, value: Value, wanted: string): Error {
  return new Error(`The step's ${key} is ${printable(JSON.stringify(value), 100)}: it must be ${wanted}.`);
}

/** Returns the time limit that a step set for Slurm, in milliseconds. */
export function maybeOwnTimeMs(job: Pick<Job, "backend">): number | undefined {
  const { slurm_time: time } = optionsOf(job);
  return time === undefined ? undefined : maybeSlurmTimeMs(time);
}
