import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** A part of the tests that is run as a whole. */
export type Part = "static" | "fast" | "slow" | "long";

/** Counts of cases. A test that is written once may run as many cases, and on two databases. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Number of tests in the source. */
  readonly written: number;
  /** Names of failed tests and files. */
  readonly failures: readonly string[];
}

export interface Tally extends Counts {
  readonly done: readonly Part[];
}

const NOTHING: Tally = { done: [], passed: 0, failed: 0, skipped: 0, written: 0, failures: [] };

/**
 * Reads what an earlier call of the tests has already done: `.ci/run` calls both `npm test` and `npm run test:all`, and
 * no test needs to run twice for the same commit.
 */
export function readTally(file: string | undefined): Tally {
  if (!file || !existsSync(file) || readFileSync(file, "utf8") === "") return NOTHING;
  return JSON.parse(readFileSync(file, "utf8")) as Tally;
}

export function writeTally(file: string | undefined, tally: Tally): void {
  if (file) writeFileSync(file, `${JSON.stringify(tally)}\n`);
}

export function addTo(tally: Tally, part: Part, counts: Counts): Tally {
  return {
    done: [...tally.done, part],
    passed: tally.passed + counts.passed,
    failed: tally.failed + counts.failed,
    skipped: tally.skipped + counts.skipped,
    written: tally.written + counts.written,
    failures: [...tally.failures, ...counts.failures],
  };
}

/**
 * Summarizes the counts. A skipped test is only reported on a machine that is not set up for all tests; in CI it is a
 * failure.
 */
export function inWords(tally: Tally): string {
  const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : "";
  return `${tally.passed} passed, ${tally.failed} failed${skipped}`;
}

/** Tells how many tests were written from how many cases they were run as. */
export function breakdown({ written, passed, failed, skipped }: Counts): string {
  return `${written} tests were written and run as ${passed + failed + skipped} cases.`;
}
