import type { JobState, RunningState } from "#backends/backend";
import type { RunningFinding } from "#backends/record/evidence";

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

/** Adds the way out to a concern about a job. */
export function withWayOut(finding: RunningFinding, id: string): RunningFinding {
  if (!finding.isInDoubt) return finding;
  const wayOut = `An administrator who knows that it is gone can declare the job lost (reprise admin declare-job-lost ${id}).`;
  return { ...finding, concern: `${finding.concern} ${wayOut}` };
}
