import { DecisionRecord, decisionRecord } from "#api/http/reply/decision-records";
import Type, { type Static } from "typebox";
import { nullable, oneOf, toUtcTime, utcTime, utcTimeOrNull } from "#api/http/document/schemas";
import type { ListedJob } from "#operations/watch/list-jobs";
import {
  END_REASONS,
  JOB_STATUSES,
  maybeTookMs,
  type SampledValue,
  shownPeak,
  TAKEN_OVER,
} from "#workflow/job/job";

/**
 * Job status in records of our own endpoints. REANA's job records, which allow no other keys, are in `logs-text.ts`.
 */

export const JobStatusWord = oneOf(JOB_STATUSES, {
  title: "JobStatus",
  description:
    "`created`: it waits for capacity. `queued`: it waits in the queue of its backend. `running`. `finished`: exit code 0. `failed`. `stopped`: ended " +
    "because its run was.",
});

const JobReason = Type.String({
  enum: [...END_REASONS, TAKEN_OVER],
  title: "JobReason",
  description:
    "Why it ended; null before. `exited`: by itself, with an exit code. `time-limit`, `output-limit`: it " +
    "exceeded a limit. `output-lost`: its output could not be stored. `outputs-not-visible`: the server does not see the files that it made on another machine. " +
    "`out-of-memory`: it exceeded its memory limit. " +
    "`process-limit`: it had too many processes at once. `disk-limit`: it wrote too many bytes to disk. " +
    "`file-limit`: its workspace held too many files. " +
    "`cancelled`: its run was stopped or had failed. `lost`: its supervisor or machine went away, or the " +
    "files of its attempt were damaged. `not-started`: it never started. " +
    "`taken-over`: its result was reused from an earlier run of the workspace.",
});
export const JobReasonWord = nullable(JobReason);

/** Describes how `peak_bytes` is measured. */
export const PEAK_BYTES =
  "Peak resident memory of all processes of a job together, sampled once a second, four times if the job has a memory limit, and stored in steps of " +
  "1/16 (exact for a job that the kernel ended at its limit); between two samples, the peak of a single process counts. Memory that processes share counts for " +
  "each. Null if no sample met the job, if it was sampled but took less than a second, and on systems without " +
  "/proc.";

/** Describes `memory_limit_bytes`. */
export const MEMORY_LIMIT_BYTES =
  "The memory limit that its step asks for (`kubernetes_memory_limit`, or the word of its language for it), at which it is ended; null if it asks for none.";

/** Describes `gpu_ms`. */
const GPU_MS =
  "Time in which the GPUs of the job were busy, summed over the GPUs, as `nvidia-smi` or the driver of AMD reports every two seconds, and stored in " +
  "steps of 1/16. Divided by `wall_ms`, the average number of busy GPUs. Null without GPUs, on clusters, and if no sample met the job.";

const WIRE_NAMES = { cpuMs: "cpu_ms", peakBytes: "peak_bytes" } as const satisfies Record<
  SampledValue,
  string
>;

const JobUsage = Type.Object(
  {
    wall_ms: nullable(
      Type.Integer({ description: "Duration of the job from start to end. Null before the end." }),
    ),
    cpu_ms: nullable(Type.Integer({ description: "Processor time of all its processes; null if unknown." })),
    peak_bytes: nullable(Type.Integer({ description: PEAK_BYTES })),
    memory_limit_bytes: nullable(Type.Integer({ description: MEMORY_LIMIT_BYTES })),
    gpu_ms: nullable(Type.Integer({ description: GPU_MS })),
    gpu_peak_bytes: nullable(
      Type.Integer({
        description: "Peak memory in use on the GPUs of the job together, sampled like `gpu_ms`.",
      }),
    ),
    sampled: Type.Array(oneOf(Object.values(WIRE_NAMES)), {
      description:
        "The values that were measured at intervals only, so that the true ones may be larger. The others are exact. " +
        "In containers the processor time is that of the runtime's client, and of the container as far as podman says " +
        "where it runs.",
    }),
  },
  { title: "JobUsage" },
);

/** Describes `label`. */
export const JOB_LABEL =
  "Its name for people: the step, and for a task of a scattered step its number from 1 on and the value that tells it from " +
  "the others, from the outside in: `fit · task 7 (s07.txt)`.";

/** Describes `display_command`. */
export const DISPLAY_COMMAND =
  "Its command for people, with paths from the workspace. `command` has them in full.";

const JobTimes = Type.Object(
  {
    created: Type.Integer(),
    started: nullable(Type.Integer()),
    finished: nullable(Type.Integer()),
  },
  { title: "JobTimes", description: "The times of the job in milliseconds since 1970-01-01T00:00:00Z." },
);

export const JobItem = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "Id of the attempt." }),
    backend_job_id: Type.String({
      description:
        "Name of the job in its backend, such as a batch number. The same as `id` if the backend gives no name.",
    }),
    key: Type.String({
      description: "Name given by the engine. Unique in the run, except for attempts of the same job.",
    }),
    attempt: Type.Integer({ description: "Number, starting at 1." }),
    step: Type.String({ description: "Name of the step, or an empty string." }),
    label: Type.String({ description: JOB_LABEL }),
    node: Type.String({ description: "Id of the node in the graph." }),
    command: Type.String(),
    display_command: Type.String({ description: DISPLAY_COMMAND }),
    image: nullable(Type.String({ description: "Container image named by the specification." })),
    image_digest: nullable(
      Type.String({
        description:
          "Digest of the container image in use. Null without a container, or before the end of the job.",
      }),
    ),
    backend: Type.String({ description: "Name of the backend: `Local`, …" }),
    status: JobStatusWord,
    waiting_for: nullable(
      Type.String({
        description:
          "Why a queued job has not started: `the image python:3.12 is being pulled`. For a running job, a sentence while its " +
          "place does not answer. Null for any other job.",
      }),
    ),
    reason: JobReasonWord,
    exit_code: nullable(
      Type.Integer({
        description:
          "Exit code of the command. 128 + n for a command killed by signal n. Null without an exit code.",
      }),
    ),
    detail: nullable(Type.String({ description: "A sentence if the reason alone does not explain it." })),
    created_at: utcTime(),
    started_at: nullable(utcTime()),
    finished_at: nullable(utcTime()),
    times_ms: JobTimes,
    usage: JobUsage,
    taken_from: nullable(
      Type.String({
        format: "uuid",
        description:
          "The job of an earlier run whose result and log were reused; null if this job ran itself.",
      }),
    ),
    decision: nullable(DecisionRecord),
    log_bytes: nullable(
      Type.Integer({
        description:
          "Bytes printed so far; null once the log was removed with its deleted run, and while its backend " +
          "cannot be reached.",
      }),
    ),
  },
  { title: "Job" },
);

export function jobItem({ job, logBytes, shownCommand }: ListedJob): Static<typeof JobItem> {
  return {
    id: job.id,
    backend_job_id: job.outsideId ?? job.id,
    key: job.key,
    attempt: job.attempt,
    step: job.name,
    label: job.label,
    node: job.node,
    command: job.command,
    display_command: shownCommand,
    image: job.image,
    image_digest: job.imageDigest,
    backend: job.backend,
    status: job.status,
    waiting_for: job.queueReason ?? job.concern,
    reason: job.reason,
    exit_code: job.exitCode,
    detail: job.detail,
    created_at: toUtcTime(job.createdAtMs),
    started_at: utcTimeOrNull(job.startedAtMs),
    finished_at: utcTimeOrNull(job.finishedAtMs),
    times_ms: { created: job.createdAtMs, started: job.startedAtMs, finished: job.finishedAtMs },
    usage: {
      wall_ms: maybeTookMs(job) ?? null,
      cpu_ms: job.cpuMs,
      peak_bytes: shownPeak(job),
      memory_limit_bytes: job.memoryLimitBytes,
      gpu_ms: job.gpuMs,
      gpu_peak_bytes: job.gpuPeakBytes,
      sampled: job.sampled.map((one) => WIRE_NAMES[one]),
    },
    taken_from: job.takenFrom,
    decision: job.decision && decisionRecord(job.decision),
    log_bytes: logBytes,
  };
}
