import type { Decision, Difference } from "#workflow/job/decision";
import type { FileStamps } from "#workflow/job/file-stamps";

/** The decision on one job of a restart, and its reason: predicted by `restart-plan`, and executed by the engine. */
export interface Judgement {
  readonly key: string;
  /** The step's name, or `""`. */
  readonly name: string;
  /** The label of the job. Default: the name. */
  readonly label?: string;
  readonly command: string;
  readonly verdict: "taken-over" | "runs" | "left-out";
  readonly decision: Decision;
  /** Differences from the previous run, in the job and in its output files. */
  readonly differences: readonly Difference[];
  /** The reused job, and its output files. */
  readonly from: string | null;
  readonly stamps: FileStamps | null;
}
