import type { Trace } from "#workflow/trace";

/** What becomes of each job of a restart, and why: said beforehand by `restart-plan`, and done by the engine. */
export interface Judgement {
  readonly key: string;
  /** The step's name, or `""`. */
  readonly name: string;
  readonly command: string;
  readonly verdict: "taken-over" | "runs" | "left-out";
  /** One sentence. */
  readonly reason: string;
  /** What is not as it was, of this job and of what it left. */
  readonly differences: readonly Difference[];
  /** The job that is taken over, and what it left. */
  readonly from: string | null;
  readonly trace: Trace | null;
}

/** `null` where there is, or was, nothing. */
export interface Difference {
  /** `command`, `parameters.n`, a key of the step (`environment`), `inputs data/in.csv`, `files results/fit.json`. */
  readonly field: string;
  readonly before: unknown;
  readonly now: unknown;
}
