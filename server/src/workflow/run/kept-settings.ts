import type { Retries } from "#workflow/job/retries";

/** Settings of the server that a run keeps from its start: later changes of the settings do not affect the run. */
export interface KeptSettings {
  /** Default for steps without a number of retries. If absent, such steps are not retried. */
  readonly retries?: Retries | undefined;
  /** Maximum number of jobs and asks of the run that are outstanding together. Default: `OUTSTANDING_DEFAULT`. */
  readonly mostOutstanding?: number | undefined;
  /** True if the run may take over jobs of the other runs of its user. */
  readonly reuseAcrossRuns?: boolean | undefined;
}
