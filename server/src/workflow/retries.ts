import type { EndReason } from "#workflow/job";

/** How often, when and after what a command that did not succeed is tried again. */
export interface Retries {
  /** Beside the first attempt. */
  readonly most: number;
  /** Before the second attempt; twice as long before each further one. */
  readonly delayMs: number;
  readonly after: readonly EndReason[];
}

/** What was ended because its run was is tried by nobody. */
export const RETRY_REASONS: readonly EndReason[] = [
  "exited",
  "time-limit",
  "output-limit",
  "output-lost",
  "lost",
  "not-started",
];
