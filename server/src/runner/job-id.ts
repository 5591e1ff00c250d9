import { derivedUuid } from "#plumbing/ids";

/**
 * Derives a job's id. The same run, key and attempt give the same id, so handing a job out twice has no further effect.
 */
export function jobIdOf(runId: string, key: string, attempt: number): string {
  return derivedUuid(runId, key, attempt);
}
