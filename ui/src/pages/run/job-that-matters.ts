import type { Job } from "../../api/run-asks.ts";

type JobState = Pick<Job, "status">;

/**
 * Returns the job whose output is shown first: the failed job, else the running job, else the last job, or the first job
 * of a list that has further pages.
 */
export function jobThatMatters<Each extends JobState>(
  listed: readonly Each[],
  isWhole: boolean,
): Each | undefined {
  return (
    listed.find((job) => job.status === "failed") ??
    listed.findLast((job) => job.status === "running") ??
    listed.at(isWhole ? -1 : 0)
  );
}
