import type { Job, JobEnd } from "#workflow/job";
import type { JobSecrets } from "#workflow/secret";

/**
 * The contract of a backend: run ONE job somewhere, at most once per attempt. It knows nothing of SQL, workflow
 * languages and users.
 *
 * Promises that every backend keeps:
 * - `submit` of a known id returns that job's current state: never an error, never a second process;
 * - the output of a job is kept as one log, readable while it runs and after every crash;
 * - an end is reported once per watcher and never changes;
 * - once `cancel` has returned, no process of the job is left and its end is recorded.
 */
export interface Backend {
  /** The name in REANA's job records: `Local`, `Kubernetes`, `Slurm`. */
  readonly name: string;
  /** Whether its jobs, like processes, can be seen only from the host that they were started on. */
  readonly isHostBound: boolean;
  submit(request: JobRequest): Promise<JobState>;
  /**
   * Calls `listener` for each end from this moment on. A job that an earlier server submitted is included once it is
   * submitted again.
   */
  watch(listener: (id: string, end: JobEnd) => void): () => void;
  /** Ends the whole process tree of a job, then proves that it is gone. A job that has not started never will. */
  cancel(request: JobRequest): Promise<JobEnd>;
  /** Returns at most `maxBytes` of what the job printed, from byte `from` on (a negative one counts from the end). */
  readLog(id: string, from: number, maxBytes: number): Promise<Buffer>;
  /** Returns how many bytes the job has printed so far. */
  logSize(id: string): Promise<number>;
  /** Ends what jobs left running in the background although they themselves have ended. */
  endLeftovers(ids: readonly string[]): Promise<void>;
  /** Forgets jobs and everything kept of them. They must have ended. */
  remove(ids: readonly string[]): Promise<void>;
  /** Stops watching. Jobs keep running; `runningJobs` returns how many. */
  close(): Promise<void>;
  runningJobs(): number;
}

export interface JobRequest {
  /** Identifier derived from run, key and attempt, so that submitting twice has the effect of submitting once. */
  readonly id: string;
  readonly job: Job;
  /** The folder of the run's files, where the command starts. */
  readonly workspaceFolder: string;
  /** The boot of the machine that the intent was written on. After a reboot a job without a claim is lost. */
  readonly bootId: string;
  /** Secrets of the job. They are never visible to other users of the machine, and are removed when the job ends. */
  readonly secrets?: JobSecrets;
}

export type JobState = { readonly status: "running" } | { readonly status: "ended"; readonly end: JobEnd };
