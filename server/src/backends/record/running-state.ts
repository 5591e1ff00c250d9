import type { JobState, RunningState } from "#backends/backend";
import type { RunningFinding } from "#backends/record/evidence";
import { withWayOut } from "#workflow/job/doubt";

/** Returns the state of a job that has been claimed. */
export function runningState({
  startedAtMs,
  concern,
}: Pick<RunningFinding, "startedAtMs" | "concern">): RunningState {
  return {
    status: "running",
    ...(startedAtMs !== undefined && { startedAtMs }),
    ...(concern !== undefined && { concern }),
  };
}

/** Returns what was wrong with the place of a job when it was seen last. */
export function concernOf({ state }: { readonly state: JobState }): string | undefined {
  return state.status === "running" ? state.concern : undefined;
}

/** Returns the concern about a job, with the way out if the node of the job is silent. */
export function shownFinding(finding: RunningFinding, id: string): RunningFinding {
  if (!finding.isInDoubt || finding.concern === undefined) return finding;
  return { ...finding, concern: withWayOut(finding.concern, id) };
}
