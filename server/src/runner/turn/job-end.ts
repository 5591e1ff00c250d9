import type { JobEnded } from "#engines/engine";
import type { JobOver } from "#runner/turn/arrivals";
import { succeeded } from "#workflow/job/job";

/**
 * Returns whether the end of a job can be recorded as it was reported. Otherwise lines, files or stamps belong to it.
 */
export function isPlain({ job, end }: JobOver): boolean {
  return succeeded(end) && job.collect === undefined && !job.isStamped;
}

export function endEvent({ job, end }: JobOver, more: Pick<JobEnded, "lastLines" | "collected">): JobEnded {
  const { key, attempt } = job;
  return { kind: "job-ended", key, ...(attempt !== undefined && { attempt }), end, ...more };
}
