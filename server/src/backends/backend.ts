import type { Socket } from "node:net";
import type { BackendCapabilities } from "#workflow/capabilities";
import type { Job, JobEnd } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";

/**
 * The contract of a backend: run ONE job somewhere, at most once per attempt. It knows nothing of SQL, workflow
 * languages and users. `contract-suite.ts`, with `state-suite.ts` and `program-suite.ts`,
 * proves each promise for every backend, and `outside-suite.ts` those about a place outside this machine.
 *
 * Promises that every backend keeps:
 * - `submit` of a known id returns that job's present state: never an error, never a second process. A known id stays
 *   known until `remove`, even if the cluster that ran the job has forgotten it;
 * - a job only moves forward: queued, running, ended. A queued job says what it waits for;
 * - the output of a job is kept as one log, readable while it runs and after every crash;
 * - an end is reported once per watcher and never changes, and nothing is reported of the job after it;
 * - once `cancel` has returned, no process of the job is left and its end is recorded. A job that had not started never
 *   will;
 * - a call that fails may have taken effect. Repeating it does no harm;
 * - while the place where the jobs run cannot be reached, calls that need it reject with `BackendAwayError` and `away`
 *   returns the same sentence. Jobs continue, and their changes are reported once the backend is back.
 */
export interface Backend {
  /** The name in job rows and in REANA's job records: `Local`, `Kubernetes`, `Slurm`. It never changes. */
  readonly name: string;
  /**
   * True if its jobs, like processes, can be seen only from the host that they were started on. Such jobs share the
   * cores and the memory of their host; all others wait in the queue of the place where they run.
   */
  readonly isHostBound: boolean;
  readonly capabilities: BackendCapabilities;
  /**
   * Identifies what a job that has not started depends on here: for processes, the boot of the machine. If it has
   * changed, such a job is lost. Only the backend interprets it. It is stored with the intent to submit, and comes back
   * with each request for that job.
   */
  readonly hostToken: string;
  submit(request: JobRequest): Promise<JobState>;
  /**
   * Reports the states of jobs from this moment on. A job that an earlier server submitted is included once it is
   * submitted again. A reason or a start may be reported twice or not at all; an end is reported once.
   */
  watch(listener: JobListener): () => void;
  /** Ends the whole process tree of a job, then proves that it is gone. A job that has not started never will. */
  cancel(request: JobRequest): Promise<JobEnd>;
  /** Returns at most `maxBytes` of what the job printed, from byte `from` on (a negative one counts from the end). */
  readLog(id: string, from: number, maxBytes: number): Promise<Buffer>;
  /** Returns how many bytes the job has printed so far. */
  logSize(id: string): Promise<number>;
  /** Returns the processor time that running jobs have used so far, together. Absent: only their ends tell it. */
  cpuMsSoFar?(ids: readonly string[]): Promise<number>;
  /** Ends what jobs left running in the background although they themselves have ended. */
  endLeftovers(ids: readonly string[]): Promise<void>;
  /** Forgets jobs and everything kept of them. They must have ended. */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Connects to the socket that a running job listens on: the file of this name in its HOME. Rejects if there is none.
   * Absent: nothing can connect to the jobs of this backend.
   */
  connect?(id: string, socketName: string): Promise<Socket>;
  /** Returns a sentence while the place where the jobs run cannot be reached: what was tried, and since when. */
  away(): string | undefined;
  /** Returns what a backup keeps of a job. */
  export: ExportJob;
  /** Prepares for jobs that will be submitted soon, so that the first one starts earlier. Absent: nothing to prepare. */
  expectJobs?(): void;
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
  /**
   * The backend's own `hostToken` of the moment when the intent was written, or one that it never issued if another
   * host wrote it. If it is no longer valid, a job that the backend does not know is lost, and never starts.
   */
  readonly hostToken: string;
  /** The name of the job in the place where it runs, if the backend has told it before. */
  readonly outsideId?: string;
  /** Secrets of the job. They are never visible to other users of the machine, and are removed when the job ends. */
  readonly secrets?: JobSecrets;
}

/**
 * The state of a job. `outsideId` is the name of the job in the place where it runs (REANA's `backend_job_id`), from the
 * moment when it is known on. It never changes, and the runner stores it.
 */
export type JobState = { readonly outsideId?: string } & (
  | {
      readonly status: "queued";
      /** Reason for the wait, as the end of a sentence: `the image python:3.12 is being pulled`. */
      readonly reason: string;
    }
  | { readonly status: "running" }
  | { readonly status: "ended"; readonly end: JobEnd }
);

export type JobListener = (id: string, state: JobState) => void;

/**
 * Returns the files by which this backend recognises the job in a copy of the data folder, or none if the copy needs
 * none. In the copy the job has no process: without a recorded end it is lost. `endCounts: false` makes it lost in any
 * case, because the copy may lack its files.
 */
export type ExportJob = (
  id: string,
  how: { readonly endCounts: boolean },
) => Promise<readonly ExportedFile[]>;

/** A file by its path below the folder of jobs: its content, or the file whose content it has. */
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
