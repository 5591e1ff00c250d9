import type { Socket } from "node:net";
import type { BackendCapabilities } from "#workflow/capabilities";
import type { Job, JobEnd } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";

/**
 * The contract of a backend: run ONE job somewhere, at most once per attempt. A backend knows nothing of SQL,
 * workflow languages and users. `contract-suite.ts`, with `state-suite.ts` and `program-suite.ts`, proves
 * each promise for every backend, and `outside-suite.ts` the promises about a place outside this machine.
 *
 * Promises that every backend keeps:
 * - `submit` of a known id returns that job's present state: never an error, never a second process. A known
 *   id stays known until `remove`, even if the cluster that ran the job has forgotten it;
 * - a job only moves forward: queued, running, ended. A queued job has a reason for its wait;
 * - the output of a job is kept as one log, readable while it runs and after every crash;
 * - an end is reported once per watcher and never changes, and the job is not reported again after its end;
 * - once `cancel` has returned, no process of the job is left and its end is recorded. A job that had not
 *   started never starts;
 * - a call that fails may have taken effect. Repeating a call does no harm;
 * - while the place where the jobs run cannot be reached, calls that need the place reject with
 *   `BackendAwayError` and `away` returns the same sentence. Jobs continue, and their changes are reported
 *   once the backend is back.
 */
export interface Backend {
  /** The name in job rows and in REANA's job records: `Local`, `Kubernetes`, `Slurm`. It never changes. */
  readonly name: string;
  /**
   * True if the backend's jobs, like processes, can be seen only from the host where they were started. Such
   * jobs share the cores and the memory of their host; all others wait in the queue of the place where they
   * run.
   */
  readonly isHostBound: boolean;
  readonly capabilities: BackendCapabilities;
  /**
   * Identifies the state that a job needs in order to start: for processes, the boot of the machine. A job
   * that has not started is lost if the token has changed. Only the backend interprets the token. The runner
   * stores the token with the intent to submit, and returns it with each request for that job.
   */
  readonly hostToken: string;
  submit(request: JobRequest): Promise<JobState>;
  /**
   * Returns true if a job may be queued after its submission, for an image or in the queue of its place. Such a job has
   * no start before the backend reports one. Absent if every job starts when it is submitted.
   */
  mayQueue?(job: Job): boolean;
  /**
   * Reports the states of jobs from this moment on. A job that an earlier server submitted is included once it is
   * submitted again. A reason or a start may be reported twice or not at all; an end is reported once.
   */
  watch(listener: JobListener): () => void;
  /**
   * Ends the whole process tree of a job, then proves that no process is left. A job that has not started
   * never starts.
   */
  cancel(request: JobRequest): Promise<JobEnd>;
  /**
   * Returns at most `maxBytes` of the job's output, from byte `from` on (a negative offset counts from the
   * end).
   */
  readLog(id: string, from: number, maxBytes: number): Promise<Buffer>;
  /** Returns the size of the job's output in bytes. */
  logSize(id: string): Promise<number>;
  /**
   * Returns the total processor time of running jobs until now. Absent if processor time is known only at a
   * job's end.
   */
  cpuMsSoFar?(ids: readonly string[]): Promise<number>;
  /** Ends background processes of jobs that have ended. */
  endLeftovers(ids: readonly string[]): Promise<void>;
  /**
   * Records that a running job is lost, because an administrator knows that its machine will not come back. If the job still runs
   * there, it is ended once the machine is back. Returns false if the end is recorded already. Absent if the jobs are
   * bound to a host: the host is declared lost.
   */
  declareLost?(id: string): Promise<boolean>;
  /** Forgets jobs and all data about them. The jobs must have ended. */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Connects to a running job's Unix socket with the given name in the job's HOME. Rejects if the socket does
   * not exist. Absent if jobs of this backend accept no connections.
   */
  connect?(id: string, socketName: string): Promise<Socket>;
  /** Returns a sentence while the place where the jobs run cannot be reached: what was tried, and since when. */
  away(): string | undefined;
  /** Returns the files about a job for a backup. */
  export: ExportJob;
  /** Prepares for jobs that will be submitted soon, to start the first job earlier. Optional. */
  expectJobs?(): void;
  /** Stops watching. Jobs keep running; `runningJobs` returns how many. */
  close(): Promise<void>;
  runningJobs(): number;
}

export interface JobRequest {
  /** Identifier derived from run, key and attempt, which makes `submit` idempotent. */
  readonly id: string;
  readonly job: Job;
  /** The folder of the run's files, where the command starts. */
  readonly workspaceFolder: string;
  /**
   * The backend's `hostToken` at the time of the intent, or a token that the backend never issued if the
   * intent is from another host. If the token is no longer valid, a job unknown to the backend is lost, and
   * never starts.
   */
  readonly hostToken: string;
  /** The name of the job in the place where it runs, if already known. */
  readonly outsideId?: string;
  /** Secrets of the job. They are never visible to other users of the machine, and are removed when the job ends. */
  readonly secrets?: JobSecrets;
}

/**
 * The state of a job. `outsideId` is the name of the job in the place where it runs (REANA's
 * `backend_job_id`), present as soon as known. The name never changes, and the runner stores it.
 */
export type JobState = { readonly outsideId?: string } & (
  | {
      readonly status: "queued";
      /** Reason for the wait, as the end of a sentence: `the image python:3.12 is being pulled`. */
      readonly reason: string;
    }
  | RunningState
  | { readonly status: "ended"; readonly end: JobEnd }
);

export interface RunningState {
  readonly status: "running";
  /** The start of the command, if the backend knows it. */
  readonly startedAtMs?: number;
  /** A sentence if something is wrong with the place of the job, such as a node that does not answer. */
  readonly concern?: string;
}

export type JobListener = (id: string, state: JobState) => void;

/**
 * Returns the files by which this backend recognises the job in a copy of the data folder; the list may be
 * empty. In the copy the job has no process: without a recorded end it is lost. `endCounts: false` makes the
 * job lost in any case, because the copy may lack its files.
 */
export type ExportJob = (
  id: string,
  how: { readonly endCounts: boolean },
) => Promise<readonly ExportedFile[]>;

/** A file by its path below the folder of jobs: its content, or a file with the same content. */
export type ExportedFile = { readonly path: string } & (
  | { readonly content: string }
  | { readonly copyOf: string }
);

/** Thrown by a call that could not be carried out, or is not known to have been, because the place does not answer. */
export class BackendAwayError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = "BackendAwayError";
  }
}
