import { DAY_MS } from "#plumbing/clock";
import { fitsPattern } from "#plumbing/text/glob";
import { isObject } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { unsafeRule } from "#workflow/specification/option-warnings";

/** Files that match are deleted this many days after the end of their run. */
export interface RetentionRule {
  readonly pattern: string;
  readonly days: number;
}

/** Ten thousand years: later times cannot be represented. */
const DAYS_MAX = 3_650_000;

/** Returns the rules in `workspace.retention_days`. Skips entries that got a warning when the workflow was created. */
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

/** Returns when a rule is applied to a run that ended at that time. */
export function dueAtMs(endedAtMs: number, days: number): number {
  return endedAtMs + days * DAY_MS;
}
