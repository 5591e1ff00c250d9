import { spawnSync } from "node:child_process";
import path from "node:path";
import { chosenFiles } from "./chosen-files.ts";
import { type FileTime, runTests, type TestOptions } from "./run-tests.ts";
import { neverSeen, readStatuses, recordReplies } from "./seen-statuses.ts";
import { type Check, type Outcome, runCheck, STATIC_CHECKS } from "./static-checks.ts";
import { keepNight } from "./nightly-result.ts";
import { addTo, breakdown, inWords, type Part, readTally, type Tally, writeTally } from "./tally.ts";

/**
 * `npm test`: types, lint, format, dead code and the fast tests. `npm run test:all` (`--all`) adds the slow tests; with
 * `--chosen` only the files that a change concerns, and some of the others. `npm run test:nightly` (`--nightly`) runs all
 * slow tests and those that take minutes to hours, and keeps the result in `bench/results/`. `npm test -- server/src/api`
 * runs the tests whose path contains that, `npm run test:nightly -- soak` the long ones. The last line of the output is
 * the result.
 */
const IN_CI = isSet(process.env["CI"]);
const TALLY_FILE = process.env["REPRISE_TEST_TALLY"];

const OPTIONS = ["--all", "--chosen", "--nightly", "--clusters"];
const MAX_FILES_PRINTED = 20;

const args = process.argv.slice(2);
const filters = args.filter((arg) => !OPTIONS.includes(arg));
const unknown = filters.find((arg) => arg.startsWith("-"));
if (unknown !== undefined) {
  console.error(
    `${unknown} is not known here: npm test [-- PATH …], npm run test:all, npm run test:nightly.`,
  );
  process.exitCode = 2;
} else {
  const tally = await chosenTests();
  console.log(breakdown(tally));
  console.log(inWords(tally));
  process.exitCode = tally.failed > 0 ? 1 : 0;
}

async function chosenTests(): Promise<Tally> {
  if (args.includes("--nightly")) return nightly();
  if (args.includes("--clusters")) return onClusters();
  return filters.length > 0 ? someTests() : wholeParts(args.includes("--all"));
}

/** Runs the slow and the long tests, or the long ones that were named, and keeps the result of each file. */
async function nightly(): Promise<Tally> {
  const counts = await testPart(filters.length > 0 ? ["long"] : ["slow", "long"], filters);
  const grown = keepNight(counts.times);
  for (const one of grown) console.log(`✗ ${one}`);
  const clusters = filters.length > 0 || passesOnClusters() ? [] : ["npm run test:clusters"];
  const failures = [...counts.failures, ...grown, ...clusters];
  return addTo(readTally(undefined), "long", {
    ...counts,
    failed: counts.failed + grown.length + clusters.length,
    failures,
  });
}

/** Installs the real clusters and runs their tests. On a machine that cannot, the script says what it did not run. */
function passesOnClusters(): boolean {
  const script = path.join(import.meta.dirname, "clusters.ts");
  return spawnSync(process.execPath, [script], { stdio: "inherit" }).status === 0;
}

/** Runs the tests that need a real cluster, in the folder that `clusters.sh` has made. */
async function onClusters(): Promise<Tally> {
  return addTo(readTally(undefined), "slow", await testPart(["clusters"], filters));
}

async function someTests(): Promise<Tally> {
  return addTo(readTally(undefined), "fast", await testPart(["fast", "slow"], filters));
}

async function wholeParts(all: boolean): Promise<Tally> {
  let tally = readTally(TALLY_FILE);
  const parts: readonly Part[] = all ? ["static", "fast", "slow"] : ["static", "fast"];
  for (const part of parts) {
    if (tally.done.includes(part)) continue;
    tally = addTo(tally, part, await wholePart(part));
    writeTally(TALLY_FILE, tally);
  }
  return tally;
}

function wholePart(part: Part) {
  if (part === "static") return staticPart();
  if (part === "fast") return fastPart();
  return testPart([part], args.includes("--chosen") ? chosenFiles() : []);
}

/** Runs all fast tests, and checks the refusals received by all tests together. */
async function fastPart() {
  const replies = recordReplies();
  const counts = await testPart(["fast"]);
  const missing = neverSeen(readStatuses(replies.folder));
  replies.remove();
  console.log(`${missing.length > 0 ? "✗" : "✓"} declared refusals that a test has seen`);
  for (const one of missing)
    console.log(`${one}: no test was given it. Write one, or take it out of "refuses".`);
  return {
    ...counts,
    passed: counts.passed + (missing.length > 0 ? 0 : 1),
    failed: counts.failed + missing.length,
    written: counts.written + 1,
    failures: [...counts.failures, ...missing],
  };
}

async function staticPart() {
  const startedAt = Date.now();
  const outcomes = await Promise.all(STATIC_CHECKS.map(runCheck));
  STATIC_CHECKS.forEach((check, index) => tell(check, outcomes[index]!));
  console.log(`Static checks took ${minutesSince(startedAt)}.`);
  const isSkipped = ({ skipped }: Outcome) => skipped !== undefined;
  const hasFailed = (outcome: Outcome) => !outcome.passed || (IN_CI && isSkipped(outcome));
  const failures = STATIC_CHECKS.filter((_, index) => hasFailed(outcomes[index]!)).map(({ name }) => name);
  const failed = failures.length;
  const skipped = IN_CI ? 0 : outcomes.filter(isSkipped).length;
  const passed = outcomes.length - failed - skipped;
  return { passed, failed, skipped, written: outcomes.length, failures };
}

function tell(check: Check, outcome: Outcome): void {
  if (outcome.skipped !== undefined)
    return console.log(`${IN_CI ? "✗" : "!"} skipped ${check.name}: ${outcome.skipped}`);
  console.log(`${outcome.passed ? "✓" : "✗"} ${check.name}`);
  if (!outcome.passed) console.log(`${outcome.output}\n${check.advice ?? ""}`.trimEnd());
}

async function testPart(kinds: TestOptions["kinds"], paths: readonly string[] = []) {
  const startedAt = Date.now();
  const { passed, written, skips, times, ...outcome } = await runTests({ kinds, filters: paths });
  for (const skip of skips) console.log(`${IN_CI ? "✗" : "!"} skipped ${skip.test}: ${skip.why}`);
  const failed = outcome.failed + (IN_CI ? skips.length : 0);
  const failures = [...outcome.failures, ...(IN_CI ? skips.map(({ test }) => `${test} (skipped)`) : [])];
  const name = filters.length > 0 ? "tests" : `${kinds.join(" and ")} tests`;
  console.log(
    `${failed > 0 ? "✗" : "✓"} ${name} (${passed} passed${failed > 0 ? `, ${failed} failed` : ""}) in ${minutesSince(startedAt)}`,
  );
  if (filters.length === 0) printSlowest(times);
  return { passed, failed, skipped: IN_CI ? 0 : skips.length, written, failures, times };
}

/** Prints the slowest files, to explain the duration of a whole run. */
function printSlowest(times: readonly FileTime[]): void {
  const slowest = [...times].sort((one, other) => other.seconds - one.seconds).slice(0, MAX_FILES_PRINTED);
  console.log(`The ${slowest.length} slowest files, in seconds:`);
  for (const { seconds, project, file } of slowest) {
    console.log(`${seconds.toFixed(1).padStart(7)}  ${project.padEnd(13)}  ${file}`);
  }
}

function minutesSince(startedAt: number): string {
  return `${((Date.now() - startedAt) / 60_000).toFixed(1)} min`;
}

/** Returns whether a variable is set, by the usual convention: `CI=false` and an empty value mean no. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
}
