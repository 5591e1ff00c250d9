import type { JobEndEvent } from "#engines/engine";
import type { ReportedEnd } from "#runner/turn/arrivals";
import { succeeded } from "#workflow/job/job";

/**
 * Returns whether the end of a job can be recorded as it was reported. Otherwise lines, files or stamps belong to it.
 */
export function isPlain({ job, end }: ReportedEnd): boolean {
  return succeeded(end) && job.collect === undefined && !job.isStamped;
}

export function endEvent(
  { job, end }: ReportedEnd,
  more: Pick<JobEndEvent, "lastLines" | "collected">,
): JobEndEvent {
  const { key, attempt } = job;
  return { kind: "job-ended", key, ...(attempt !== undefined && { attempt }), end, ...more };
}
