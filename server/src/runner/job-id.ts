import { derivedUuid } from "#plumbing/ids";

/** The same run, key and attempt give the same job: handing one out twice is handing it out once. */
export function jobIdOf(workflowId: string, key: string, attempt: number): string {
  return derivedUuid(workflowId, key, attempt);
}
