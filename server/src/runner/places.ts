import type { Resources } from "#workflow/job";

/**
 * A host's capacity for jobs. A job takes a place before it is handed out and gives it back when it has ended. If none
 * is free, it waits for its turn. The scheduler decides whose turn it is.
 */
export interface Places {
  /** Takes a place immediately, if one is free and no other job waits for it. */
  maybeTake(claim: PlaceClaim): boolean;
  /** Takes a place for a job that is running already. The place is counted even if none is free. */
  take(claim: PlaceClaim): void;
  /** Waits for a place. `onTurn` is called, never synchronously, when the job has been given one. */
  wait(claim: PlaceClaim, onTurn: () => void): void;
  /** Gives the place back, or stops waiting. Has no effect if the job has no place. */
  give(jobId: string): void;
}

export interface PlaceClaim {
  readonly jobId: string;
  /** Owner of the job: places are shared out fairly between users. */
  readonly ownerId: string;
  readonly resources: Resources;
}
