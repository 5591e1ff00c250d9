import { fitsPattern } from "#plumbing/glob";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { unsafeRule } from "#workflow/specification/option-warnings";

/** Files that match are deleted so many days after the end of their run. */
export interface RetentionRule {
  readonly pattern: string;
  readonly days: number;
}

const DAY_MS = 86_400_000;
/** Ten thousand years: times beyond cannot be told. */
const DAYS_MAX = 3_650_000;

/** `workspace.retention_days`. What was warned of when the workflow was created is no rule. */
export function retentionRules(specification: Specification): RetentionRule[] {
  const { workspace } = specification;
  if (!isObject(workspace) || !isObject(workspace.retention_days)) return [];
  return Object.entries(workspace.retention_days)
    .map(([pattern, days]) => ({ pattern, days: Number.isInteger(days) ? (days as number) : -1 }))
    .filter(
      ({ pattern, days }) =>
        unsafeRule(pattern) === undefined && fitsPattern(pattern) && days >= 0 && days <= DAYS_MAX,
    );
}

/** When a rule of a run that ended then is applied. */
export function dueAtMs(endedAtMs: number, days: number): number {
  return endedAtMs + days * DAY_MS;
}
