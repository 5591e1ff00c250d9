import type { Resources } from "#workflow/job/job";

/**
 * A host's capacity for jobs. A job acquires its share before submission and releases the share at its end.
 * If too little is free, the job waits in a queue, whose order the scheduler decides.
 */
export interface Capacity {
  /** Acquires a share immediately, if enough is free and no other job waits. Returns whether the job has a share. */
  tryAcquire(request: CapacityRequest): boolean;
  /** Acquires a share for a running job, and counts the share even if too little is free. */
  acquire(request: CapacityRequest): void;
  /** Queues the job. `onAcquired` is called, never synchronously, when the job has its share. */
  enqueue(request: CapacityRequest, onAcquired: () => void): void;
  /** Releases the share, or removes the job from the queue. Has no effect if the job has neither. */
  release(jobId: string): void;
}

export interface CapacityRequest {
  readonly jobId: string;
  readonly runId: string;
  /** Owner of the job: capacity is shared out fairly between users. */
  readonly ownerId: string;
  readonly resources: Resources;
  /**
   * True if the job runs on this host. Any other job waits in the queue of its own backend, and uses no
   * capacity here.
   */
  readonly usesHost: boolean;
}
