import type { EndReason } from "#workflow/job";

/** Whether, when and how often a command that failed is tried again. */
export interface Retries {
  /** Maximum number of attempts after the first. */
  readonly most: number;
  /** Delay before the second attempt. Doubled before each further one. */
  readonly delayMs: number;
  readonly after: readonly EndReason[];
}

/** Ends that can be retried. A job that was cancelled with its run is never retried. */
export const RETRY_REASONS: readonly EndReason[] = [
  "exited",
  "time-limit",
  "output-limit",
  "output-lost",
  "lost",
  "not-started",
];
