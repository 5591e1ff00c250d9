import { END_REASONS, type EndReason } from "#workflow/job/job";

/** Rules for retrying a failed command: conditions, number of attempts, and delays. */
export interface Retries {
  /** Maximum number of attempts after the first. */
  readonly most: number;
  /** Delay before the second attempt. Doubled before each further attempt. */
  readonly delayMs: number;
  readonly after: readonly EndReason[];
}

/** Bounds for steps and for the server's settings. */
export const RETRIES_MAX = 10;
export const RETRY_DELAY_MAX_SECONDS = 3600;

/**
 * Default ends to retry for a step that sets `retries`: a program that failed, or whose machine went away,
 * may succeed the next time.
 */
export const STEP_RETRY_REASONS: readonly EndReason[] = ["exited", "lost"];
/**
 * Default ends to retry for the server's `--retries`. The server's setting also applies to commands whose
 * authors did not ask for retries, so only ends count that are not the command's own fault.
 */
export const SERVER_RETRY_REASONS: readonly EndReason[] = ["lost", "not-started"];

/** Ends that can be retried. A job cancelled with its run is never retried. */
export const RETRY_REASONS = END_REASONS.filter((reason) => reason !== "cancelled");
