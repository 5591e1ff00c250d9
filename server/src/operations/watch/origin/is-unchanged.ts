import type { Run } from "#store/runs/runs";
import { isSameStamp } from "#workflow/job/file-stamps";
import { changedMsOfStamp } from "#workspace/read/stamps";

/**
 * Returns whether a file of the workspace is still the recorded one. The change time, which no user can set, tells if a
 * file without a recorded stamp has changed since the end of the run.
 */
export function isUnchanged(
  { stamp }: { readonly stamp: string | null },
  now: string,
  { finishedAtMs, stoppedAtMs }: Run,
): boolean {
  if (stamp !== null) return isSameStamp(stamp, now);
  return (changedMsOfStamp(now) ?? Infinity) <= (finishedAtMs ?? stoppedAtMs ?? 0);
}
