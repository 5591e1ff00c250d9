import type { Decision, Difference } from "#workflow/job/decision";
import type { FileStamps } from "#workflow/job/file-stamps";

/** The decision on one job of a restart, and its reason: predicted by `restart-plan`, and carried out by the engine. */
export interface Judgement {
  readonly key: string;
  /** The step's name, or `""`. */
  readonly name: string;
  /** The label of its job. Absent: the name. */
  readonly label?: string;
  readonly command: string;
  readonly verdict: "taken-over" | "runs" | "left-out";
  readonly decision: Decision;
  /** Differences from the previous run, in this job and in the files that it left. */
  readonly differences: readonly Difference[];
  /** The job that is taken over, and the files that it left. */
  readonly from: string | null;
  readonly stamps: FileStamps | null;
}
