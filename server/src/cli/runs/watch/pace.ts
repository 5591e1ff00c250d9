import { estimate } from "reprise-sdk";
import type { StatusRecord } from "#cli/runs/watch/status-row";
import { duration } from "#plumbing/text/duration";
import { counted } from "#plumbing/text/counted";

export interface Paced {
  readonly pace?: StatusRecord["pace"];
  readonly progress: Pick<StatusRecord["progress"], "total" | "finished" | "failed">;
}

/** Returns `Pace: 0.5 jobs a minute, about 28 min 3 s for 14 planned jobs.`, or undefined for a run without a pace. */
export function maybePaceSentence(run: Paced): string | undefined {
  const known = maybeEstimate(run);
  if (!known) return undefined;
  const { jobsPerMinute, remaining, leftMs } = known;
  const left = remaining > 0 ? `, about ${duration(leftMs)} for ${counted(remaining, "planned job")}` : "";
  return `Pace: ${jobsPerMinute} jobs a minute${left}.`;
}

/** Returns `, 0.5 jobs a minute, about 28 min 3 s left`, or an empty text for a run without a pace. */
export function paceInLine(run: Paced): string {
  const known = maybeEstimate(run);
  if (!known) return "";
  const left = known.remaining > 0 ? `, about ${duration(known.leftMs)} left` : "";
  return `, ${known.jobsPerMinute} jobs a minute${left}`;
}

function maybeEstimate({ pace, progress: { total, finished, failed } }: Paced) {
  return pace && estimate({ total: total.total, finished: finished.total, failed: failed.total, pace });
}
