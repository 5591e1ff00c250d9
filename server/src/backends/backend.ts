import type { Job, JobEnd } from "#workflow/job";
import type { JobSecrets } from "#workflow/secret";

/**
 * The contract of a backend: run ONE job somewhere, at most once per attempt. It knows nothing of SQL, workflow
 * languages and users.
 *
 * Promises that every backend keeps:
 * - `submit` of a known id answers with that job's present state: never an error, never a second process;
 * - what a job printed is kept as one log, readable while it runs and after every crash;
 * - an end is reported once per watcher and stays the same for ever after;
 * - after `cancel` has answered, no process of the job is left and its end is recorded.
 */
export interface Backend {
  /** As REANA's job records spell it: `Local`, `Kubernetes`, `Slurm`. */
  readonly name: string;
  /** Whether its jobs can be seen only from the host that they were handed out on, as processes can. */
  readonly isHostBound: boolean;
  submit(request: JobRequest): Promise<JobState>;
  /**
   * Calls `listener` for each end that happens from now on, also of a job that an earlier server submitted: submitting
   * it again takes it up.
   */
  watch(listener: (id: string, end: JobEnd) => void): () => void;
  /** End the whole process tree of a job, then prove that it is gone. A job that never started never will. */
  cancel(request: JobRequest): Promise<JobEnd>;
  /** What the job printed, from byte `from` on (a negative one counts from the end); at most `maxBytes`. */
  readLog(id: string, from: number, maxBytes: number): Promise<Buffer>;
  /** How many bytes of it there are by now. */
  logSize(id: string): Promise<number>;
  /** End what jobs left running in the background although they themselves have ended. */
  endLeftovers(ids: readonly string[]): Promise<void>;
  /** Forget jobs and everything kept of them; only for jobs that have ended. */
  remove(ids: readonly string[]): Promise<void>;
  /** Stop watching. Running jobs go on; `runningJobs` says how many. */
  close(): Promise<void>;
  runningJobs(): number;
}

export interface JobRequest {
  /** Derived from run, key and attempt, so that asking twice is asking once. */
  readonly id: string;
  readonly job: Job;
  /** The folder of the run's files, where the command starts. */
  readonly workspaceFolder: string;
  /** Which boot of which machine the intent was written on; after a reboot a job without a claim is lost. */
  readonly bootId: string;
  /** Never in what other users of a machine can see, and nothing of them is left when the job has ended. */
  readonly secrets?: JobSecrets;
}

export type JobState = { readonly status: "running" } | { readonly status: "ended"; readonly end: JobEnd };
