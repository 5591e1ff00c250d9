/**
 * A job: one command that some backend runs once per attempt. Nothing of a workflow language is in it.
 */
export interface Job {
  /** Unique within its run and the same on every replay. */
  readonly key: string;
  /** What a person calls it: the step's name, or `""`. */
  readonly name: string;
  /** A shell script, run as `bash -c` runs it, in the workspace. */
  readonly script: string;
  /** The command as the author wrote it, for logs and pages. */
  readonly displayCommand: string;
  /** The container image that the specification names; a backend without containers says that it ignores it. */
  readonly image: string | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeLimitMs: number | null;
  /** What is kept free for it on the machine; without it, one core. */
  readonly resources?: Resources;
  /** Below the workspace. The runner lists it when the job has ended, for an engine that must know what is there. */
  readonly outputFolder?: string;
  /** What it changes in the workspace is recorded with its end: a later run can tell whether it is still so. */
  readonly isTraced?: true;
  /** From 2 on for one that is tried again: only when the end of the attempt before it has been recorded. */
  readonly attempt?: number;
  /** It asks for its place only after so long. */
  readonly delayMs?: number;
}

export function attemptOf({ attempt }: { readonly attempt?: number | undefined }): number {
  return attempt ?? 1;
}

export interface Resources {
  readonly cores: number;
  readonly memoryBytes: number;
}

/** One that says nothing is expected to use one processor, and memory that is not counted. */
const DEFAULT_RESOURCES: Resources = { cores: 1, memoryBytes: 0 };

export function resourcesOf(job: Job): Resources {
  return job.resources ?? DEFAULT_RESOURCES;
}

/** created: recorded, and waiting for its place on the machine. */
export const JOB_STATUSES = ["created", "running", "finished", "failed", "stopped"] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/**
 * Why a job ended.
 * output-lost: what it printed could not be kept, as on a full disk; then it cannot print on, and has failed.
 * lost: its supervisor or the machine went away before its end was recorded; nobody knows how far the command came.
 */
export const END_REASONS = [
  "exited",
  "time-limit",
  "output-limit",
  "output-lost",
  "cancelled",
  "lost",
  "not-started",
] as const;

/** The reason of a job that never ran, because one of an earlier run has done its work. */
export const TAKEN_OVER = "taken-over";

export type EndReason = (typeof END_REASONS)[number];

export interface JobEnd {
  readonly reason: EndReason;
  /** The exit status of the command; null where there is none (lost, not started). 128 + n when killed by signal n. */
  readonly exitCode: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number;
  /** A sentence where the reason alone does not tell (`No such image …`). */
  readonly detail?: string;
  readonly usage?: Usage;
}

/** What a job has used, as far as its backend can tell. */
interface Usage {
  /** Processor time of all its processes. */
  readonly cpuMs?: number;
  /** The most memory that it had at once. */
  readonly peakBytes?: number;
}

export function succeeded(end: JobEnd): boolean {
  return end.reason === "exited" && end.exitCode === 0;
}
