import { derivedUuid } from "#plumbing/ids";
import { attemptOf } from "#workflow/job";

/** Derives the id of a job's attempt. The same attempt has the same id, so submitting it twice has no further effect. */
export function jobIdOf(
  runId: string,
  job: { readonly key: string; readonly attempt?: number | undefined },
): string {
  return derivedUuid(runId, job.key, attemptOf(job));
}
