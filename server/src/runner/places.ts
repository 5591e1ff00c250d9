import type { Resources } from "#workflow/job";

/**
 * The room that a host has for jobs. A job takes its place before it is handed out and gives it back when it has
 * ended; when there is none it waits, and is told when its turn has come. Whose turn it is, is the scheduler's to say.
 */
export interface Places {
  /** Takes the place at once, if there is one and nobody waits for it. */
  maybeTake(claim: PlaceClaim): boolean;
  /** For a job that runs already: its place is counted, whether there is one or not. */
  take(claim: PlaceClaim): void;
  /** Calls back, never at once, when the job has been given its place. */
  wait(claim: PlaceClaim, onTurn: () => void): void;
  /** The job has ended, or waits no longer; nothing happens when it has no place. */
  give(jobId: string): void;
}

export interface PlaceClaim {
  readonly jobId: string;
  /** Places are shared out fairly between users. */
  readonly ownerId: string;
  readonly resources: Resources;
}
