import type { RunStatus } from "#workflow/run/run-status";

/** What became of a run on one of the two servers. */
export interface ShadowSide {
  readonly status: string;
  /** Time from the start to the end, if both are known. */
  readonly seconds: number | null;
  /** Words of the failure, if the run failed. */
  readonly failure: string | null;
}

/** The comparison of a run with its copy on another server. */
export interface ShadowResult {
  /** The difference in a few words, the same for runs that differ in the same way. */
  readonly cause: string;
  readonly here?: ShadowSide;
  readonly there?: ShadowSide;
  /** Paths of outputs with another content, or that only one server has. */
  readonly outputs: readonly string[];
}

const SAME = "same result";

/** Returns the difference of two runs in a few words. */
export function causeOf(here: RunStatus, there: string, outputs: readonly string[]): string {
  if (here !== there) return `${here} here, ${there} there`;
  if (outputs.length === 0) return SAME;
  return outputs.length === 1 ? `${outputs[0]} differs` : `${outputs[0]} and other outputs differ`;
}
