import type { JobContents } from "#workflow/job/job-contents";
import type { StageEntry } from "#workflow/job/stage";

/** A job: one command, run by a backend once per attempt. Independent of any workflow language. */
export interface Job {
  /** Unique within the run, and equal on every replay. */
  readonly key: string;
  /** Human-readable name: the step's name, or `""`. */
  readonly name: string;
  /** Distinguishes the job from other jobs of its step: `fit · task 7 (s07.txt)`. Default: the job's name. */
  readonly label?: string;
  /** Id of the job's node in the run's graph. All jobs of a scatter share one node. */
  readonly node: string;
  readonly command: Command;
  /** The command as the author wrote it, for logs and pages. */
  readonly displayCommand: string;
  /**
   * The container image in the specification. A backend without containers reports that it ignores the image.
   */
  readonly image: string | null;
  /**
   * True if the command is a program of the machine: without an image, the command runs on the machine, never
   * in the default image.
   */
  readonly isHostProgram?: true;
  /** Variables of the command. A `HOME` or `PATH` here replaces the backend's own. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Folder in which the command starts, relative to the workspace. The folder exists when the job starts.
   * Default: the workspace.
   */
  readonly workingFolder?: string;
  /** File for the standard input of the command, relative to the workspace. Default: empty input. */
  readonly stdin?: string;
  /**
   * File that receives the standard output, relative to the workspace. Its folder exists when the job starts; a file that
   * exists is emptied. Default: the log. Redirected output counts as files of the workspace, not toward the output limit.
   */
  readonly stdout?: string;
  /**
   * File for the standard error, like `stdout`. If both paths are equal, both streams share one file, in
   * write order.
   */
  readonly stderr?: string;
  /**
   * Message files of the command, relative to the workspace. If the command fails, their last lines follow
   * the log's last lines.
   */
  readonly logFiles?: readonly string[];
  /** Exit codes that count as success. Default: only 0. `withVerdict` applies the codes. */
  readonly successCodes?: readonly number[];
  /**
   * Files and folders to put into the workspace before the job starts, once per attempt: all entries, or
   * none.
   */
  readonly stage?: readonly StageEntry[];
  /** Folders that the command may change, relative to the workspace. Default: the whole workspace. */
  readonly writable?: readonly string[];
  /** The network of the command. Default: the network that the backend gives to every job. */
  readonly network?: "none" | "full";
  /** User and group that the command runs as. Default: the backend's. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Places outside the workspace that the command sees, for backends that can arrange a file system. */
  readonly mounts?: readonly Mount[];
  /**
   * True if the command needs a Kerberos ticket of its user. The variable `KRB5CCNAME` leads to the ticket,
   * which is renewed as long as the command runs.
   */
  readonly kerberos?: true;
  /**
   * True if the command needs a VOMS proxy of its user. The variable `X509_USER_PROXY` leads to the proxy,
   * which is renewed as long as the command runs.
   */
  readonly vomsProxy?: true;
  /** True if the command needs a configuration of Rucio. The variable `RUCIO_CONFIG` leads to it. */
  readonly rucio?: true;
  /** Limits of the job. The job is ended at any limit. */
  readonly limits?: Limits;
  /** Cores, memory and GPUs reserved on the machine. Default: one core. */
  readonly resources?: Resources;
  /** Information about the job's files, sent with its end. */
  readonly collect?: Collect;
  /** The facts that determine the job's result. If absent, no later run takes the job over. */
  readonly contents?: JobContents;
  /**
   * True if the changes of the job to the workspace are recorded with the end of the job, for comparison in a
   * later run.
   */
  readonly isStamped?: true;
  /** From 2 on for a retry, which is issued only after the end of the previous attempt has been recorded. */
  readonly attempt?: number;
  /** Delay before the job requests its share of the capacity. */
  readonly delayMs?: number;
  /** The requested backend of the job. Optional: the first backend is the default. */
  readonly backend?: BackendChoice;
}

export interface BackendChoice {
  /** A value of REANA's `compute_backend`, such as `slurmcern`. */
  readonly name: string;
  /** The step's options for that backend, for example a partition, under REANA's names. */
  readonly options?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * The command of a job.
 *
 * - `argv`: a program and its arguments, executed without a shell. A name without a slash is looked up in the job's PATH;
 *   a relative path starts at the working folder. As in a shell, a program that does not exist ends the job with exit
 *   code 127, one that cannot be executed with 126, and a line in the log says so.
 * - `script`: a shell script, run as `bash -c` would run it.
 */
export type Command = { readonly argv: readonly [string, ...string[]] } | { readonly script: string };

export interface Mount {
  /** A path relative to the workspace, or an absolute path of the host. */
  readonly from: string;
  /** Absolute path for the command. */
  readonly at: string;
  readonly mode: "read" | "write";
}

/** Limits of one job. If absent, the backend's own limit applies, if any. */
export interface Limits {
  /** Elapsed time from the start of the command. */
  readonly timeMs?: number;
  /** Memory of all processes of the job together. */
  readonly memoryBytes?: number;
  /** Bytes that the job writes to disk, including files removed since. */
  readonly diskBytes?: number;
  /** Average number of used cores, such as 0.5. */
  readonly cores?: number;
}

/**
 * Returns the command as one text; a script is one already. Not for execution: the text loses the boundaries
 * of words.
 */
export function commandText({ command }: Job): string {
  return "script" in command ? command.script : command.argv.join(" ");
}

/** Facts about a job's files for the engine, so that an ordinary job needs no further request. */
export interface Collect {
  /** Folder below the workspace, to which the patterns are relative. */
  readonly folder: string;
  /** True if the entries of the folder and its subfolders are listed. */
  readonly lists?: true;
  /** Files to be checksummed. */
  readonly sums?: { readonly patterns: readonly string[]; readonly algorithm: Algorithm };
  /** Files whose first `maxBytes` are returned as text. */
  readonly texts?: { readonly patterns: readonly string[]; readonly maxBytes: number };
  /** True if wildcards match a leading dot. In POSIX they do not. */
  readonly matchesHidden?: true;
}

/** Checksum algorithms that an engine may ask for: CWL reports SHA-1. */
export type Algorithm = "sha256" | "sha1";

export function attemptOf({ attempt }: { readonly attempt?: number | undefined }): number {
  return attempt ?? 1;
}

export interface Resources {
  readonly cores: number;
  readonly memoryBytes: number;
  /** Number of whole devices. Default: 0. */
  readonly gpus?: number;
  /** True if the command also runs with fewer GPUs, or with none. */
  readonly gpusAreHint?: true;
}

/** Expected use of a job without requests: one core, and uncounted memory. */
const DEFAULT_RESOURCES: Resources = { cores: 1, memoryBytes: 0 };

export function resourcesOf(job: Job): Resources {
  return job.resources ?? DEFAULT_RESOURCES;
}

/** created: recorded, and waiting for its delay or for capacity. */
export const JOB_STATUSES = ["created", "queued", "running", "finished", "failed", "stopped"] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** A status as rows keep it. There a queued job is `running`, with the reason for its wait. */
export type RecordedJobStatus = Exclude<JobStatus, "queued">;

/** Statuses of rows of jobs that have not ended. */
export const OPEN_JOB_STATUSES = ["created", "running"] as const satisfies readonly RecordedJobStatus[];

/** The others. */
export const ENDED_JOB_STATUSES = ["finished", "failed", "stopped"] as const satisfies readonly JobStatus[];

export function isOpenJob(status: JobStatus): boolean {
  return !(ENDED_JOB_STATUSES as readonly JobStatus[]).includes(status);
}

/**
 * Why a job ended.
 * - output-lost: its output could not be stored, as on a full disk. It could not print any further, and has failed.
 * - outputs-not-visible: the machine of the job has its files, and the server does not see them.
 * - lost: its supervisor or the machine went away before its end was recorded. How far the command came is unknown.
 */
export const END_REASONS = [
  "exited",
  "time-limit",
  "output-limit",
  "output-lost",
  "outputs-not-visible",
  "out-of-memory",
  "process-limit",
  "disk-limit",
  "file-limit",
  "cancelled",
  "lost",
  "not-started",
] as const;

/** The end reason of a job that never ran, because of an equal job of an earlier run. */
export const TAKEN_OVER = "taken-over";

export type EndReason = (typeof END_REASONS)[number];

export interface JobEnd {
  readonly reason: EndReason;
  /** The command's exit status, or 128 + n when killed by signal n. Null for a lost or unstarted job. */
  readonly exitCode: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number;
  /** The verdict of the job's success codes. Absent if the job has no success codes: only 0 is success. */
  readonly isSuccess?: boolean;
  /** A sentence for ends that the reason alone does not explain (`No such image …`). */
  readonly detail?: string;
  readonly usage?: Usage;
  /** Digest of the job's container image. */
  readonly imageDigest?: string;
}

/** Resource use of a job, as far as the backend can measure. */
interface Usage {
  /** Processor time of all processes. */
  readonly cpuMs?: number;
  /** Peak memory. */
  readonly peakBytes?: number;
  /** Time in which the GPUs of the job were busy, summed over the GPUs. Always sampled. */
  readonly gpuMs?: number;
  /** Peak memory of the GPUs of the job together. Always sampled. */
  readonly gpuPeakBytes?: number;
  /** The values that were sampled at intervals: the true values may be larger. All other values are exact. */
  readonly sampled?: readonly SampledValue[];
}

export const SAMPLED_VALUES = ["cpuMs", "peakBytes"] as const;
export type SampledValue = (typeof SAMPLED_VALUES)[number];

/**
 * Returns the end with the verdict of the job's own success codes. The runner calls this once, before the end is
 * recorded; `succeeded` reads the verdict from then on.
 */
export function withVerdict({ successCodes }: Job, end: JobEnd): JobEnd {
  if (!successCodes || end.reason !== "exited" || end.exitCode === null) return end;
  return { ...end, isSuccess: successCodes.includes(end.exitCode) };
}

export function succeeded(end: JobEnd): boolean {
  return end.isSuccess ?? (end.reason === "exited" && end.exitCode === 0);
}

/** Returns the time from a job's start to its end. Undefined for a job that has not started or not ended. */
export function maybeTookMs(job: {
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
}): number | undefined {
  const { startedAtMs, finishedAtMs } = job;
  return startedAtMs === null || finishedAtMs === null ? undefined : Math.max(0, finishedAtMs - startedAtMs);
}

/** A shorter job may have been sampled only once, during the loading of its program. */
const SAMPLED_FROM_MS = 1000;

/** Returns the peak memory of a job for people and comparisons. Null if it was sampled too briefly to be near the truth. */
export function shownPeak(job: {
  readonly peakBytes: number | null;
  readonly sampled: readonly SampledValue[];
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
}): number | null {
  const tookMs = maybeTookMs(job);
  const isBrief = tookMs !== undefined && tookMs < SAMPLED_FROM_MS;
  return isBrief && job.sampled.includes("peakBytes") ? null : job.peakBytes;
}

/** Returns the number of jobs that a run will have, as far as is known: the engine's, or more if more exist. */
export function jobsInTotal({ jobsTotal }: { readonly jobsTotal: number }, existing: number): number {
  return Math.max(jobsTotal, existing);
}
