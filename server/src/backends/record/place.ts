import type { EndReason, Job } from "#workflow/job/job";
import type { JobSecrets } from "#workflow/people/secret";

/** A cluster as the record needs it: send a job, list jobs, end jobs. */
export interface Place {
  /** The name of the software, in sentences: `Slurm`. */
  readonly name: string;
  /**
   * Sends a job, and returns its number in the cluster. Throws a `BackendAwayError` if it is unknown whether the job
   * arrived, and another error if the cluster refused the job.
   */
  send(job: SentJob): Promise<string>;
  /**
   * Lists the jobs of this user. With `isWhole` the list has the nodes, and also jobs that ended a while ago, as long as
   * the cluster remembers them. Throws a `BackendAwayError` if the cluster does not answer.
   */
  list(how: { readonly isWhole: boolean }): Promise<Listing>;
  /** Removes jobs from the queue, and ends running ones. Unknown jobs are ignored. */
  end(outsideIds: readonly string[]): Promise<void>;
  /**
   * True if the cluster gives a number to another job after it has lost its state. Before a job is ended, a listing then has to
   * show its number under its name.
   */
  readonly reusesIds?: true;
  /** True if the cluster keeps an ended job until somebody removes it. */
  readonly keepsEnded?: true;
  /** Returns the names of the jobs with news since the previous call. Absent if only a listing tells. */
  takeNews?(): readonly string[];
  /**
   * Returns the image in which a job runs: without a digest if the cluster is about to tell it, and undefined if nobody
   * will. Absent if jobs run without images.
   */
  imageOf?(name: string): { readonly digest: string | undefined } | undefined;
  /** Returns a sentence if the cluster is ending a job for a reason of its own, such as a preemption. Optional. */
  whyEnded?(name: string): string | undefined;
  /** Stops following the jobs, and ends the connection to the cluster. */
  close?(): void | Promise<void>;
}

export interface SentJob {
  /** The name of the job in the cluster. */
  readonly name: string;
  readonly job: Job;
  readonly workspaceFolder: string;
  /** The script to run. It lies in the folder of the record. */
  readonly orderFile: string;
  /** The file for what the cluster itself writes about the job. */
  readonly saidFile: string;
  /** The secrets of the user. The command gets them by the record; a place may need some for its own work. */
  readonly secrets?: JobSecrets | undefined;
}

export interface Listing {
  /** The name of the cluster that answered, even if it has no jobs. Undefined if the place has only one. */
  readonly cluster: string | undefined;
  /** The jobs of each name. A job whose first submission had no answer may be there twice. */
  readonly jobs: ReadonlyMap<string, readonly ListedJob[]>;
  /** The nodes that do not answer, with their states. Only in a whole listing. */
  readonly silentNodes: ReadonlyMap<string, string>;
  /** Set if the cluster lists only nodes that answer: every other node is silent. Only in a whole listing. */
  readonly answeringNodes?: ReadonlySet<string>;
  /** Says of a node outside `answeringNodes` why it counts as silent. Default: there is no such node. */
  readonly absentNode?: string;
}

export interface ListedJob {
  readonly outsideId: string;
  /**
   * - waiting: in the queue;
   * - hopeless: in the queue, and can never start;
   * - active: on a node, or about to be;
   * - over: ended, and the node has confirmed it if it answers;
   * - gone: ended, and the node has confirmed it;
   * - unknown: the cluster has given the job up, without an answer of the node.
   */
  readonly phase: "waiting" | "hopeless" | "active" | "over" | "gone" | "unknown";
  /** Why the job waits or how it ended, as a sentence. */
  readonly sentence: string;
  /** Why the job ended, if the cluster knows it and the record may not. */
  readonly reason?: EndReason;
  /** True if the script ended by itself, or could not start. Without a claim, its node could not use the record. */
  readonly endedItself?: true;
  /** The node of the job, if the cluster names it. */
  readonly node?: string;
  /** The problem of an active job's node, as a sentence. */
  readonly concern?: string;
}

/** Returns the name of a job in a cluster. Derived from the id, so that a second submission finds the first one. */
export function nameOfJob(id: string): string {
  return `reprise-${id}`;
}

/** Returns the id of a job by its name in a cluster. */
export function idOfJob(name: string): string {
  return name.slice(nameOfJob("").length);
}
