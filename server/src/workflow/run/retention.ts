import { DAY_MS } from "#plumbing/clock";
import { fitsPattern } from "#plumbing/text/glob";
import { printable } from "#plumbing/text/printable";
import { isObject, joinPath } from "#workflow/specification/shape";
import type { Specification } from "#workflow/specification/specification";
import { unsafeRule } from "#workflow/specification/option-warnings";

/** Files matching the pattern are deleted this many days after the end of the run. */
export interface RetentionRule {
  readonly pattern: string;
  readonly days: number;
}

/** Tag of a run that the server neither deletes nor empties by itself. */
export const KEEP_TAG = "keep";

/** Ten thousand years: later times cannot be represented. */
export const DAYS_MAX = 3_650_000;

/** Returns the valid rules in `workspace.retention_days`. `retentionProblems` reports the invalid rules. */
export function retentionRules(specification: Specification): RetentionRule[] {
  return entriesOf(specification).flatMap(([pattern, days]) =>
    patternProblem(pattern) === undefined && isDays(days) ? [{ pattern, days }] : [],
  );
}

interface RetentionProblem {
  readonly path: string;
  readonly message: string;
}

/** Finds the rules that cannot be applied. A start is refused for them, as by REANA; the sentences about patterns are REANA's. */
export function* retentionProblems(specification: Specification): Generator<RetentionProblem> {
  const { workspace } = specification;
  const rules = isObject(workspace) ? workspace.retention_days : undefined;
  if (rules === undefined) return;
  if (!isObject(rules) || Object.keys(rules).length === 0) {
    const message = `${PATH} is ${printable(JSON.stringify(rules), 200)}; it must map at least one pattern of files to a number of days.`;
    yield { path: PATH, message };
  }
  for (const [pattern, days] of entriesOf(specification)) {
    const path = joinPath(PATH, pattern);
    const problem = patternProblem(pattern);
    if (problem !== undefined)
      yield { path, message: `Retention rule ${printable(pattern, 200)} cannot ${problem}` };
    if (isDays(days)) continue;
    const form = `a whole number of days from 0 to ${DAYS_MAX}`;
    yield { path, message: `${path} is ${printable(JSON.stringify(days), 200)}; it must be ${form}.` };
  }
}

const PATH = "workspace.retention_days";

function entriesOf({ workspace }: Specification): [string, unknown][] {
  return isObject(workspace) && isObject(workspace.retention_days)
    ? Object.entries(workspace.retention_days)
    : [];
}

/** Returns why files cannot be found by a pattern, as the end of "cannot …". */
function patternProblem(pattern: string): string | undefined {
  return unsafeRule(pattern) ?? (fitsPattern(pattern) ? undefined : "be so long");
}

function isDays(days: unknown): days is number {
  return Number.isInteger(days) && (days as number) >= 0 && (days as number) <= DAYS_MAX;
}

/** Returns when a rule applies to a run with the given end. */
export function dueAtMs(endedAtMs: number, days: number): number {
  return endedAtMs + days * DAY_MS;
}
