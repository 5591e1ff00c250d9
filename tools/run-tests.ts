import { startVitest, type TestCase, type TestModule, type Vitest } from "vitest/node";
import { ROOT } from "./project.ts";

export type TestKind = "fast" | "slow" | "long" | "clusters";

/** The projects of `vitest.config.ts` that hold the tests of a kind. */
const PROJECTS: Readonly<Record<TestKind, readonly string[]>> = {
  fast: ["fast*"],
  slow: ["slow*", "alone*"],
  long: ["long*"],
  clusters: ["clusters"],
};

export interface TestOptions {
  /** Kinds of tests to run. Each includes its lanes and the tests of that kind on PostgreSQL. */
  readonly kinds: readonly TestKind[];
  /** Limits the run to files whose path contains a filter. */
  readonly filters?: readonly string[];
}

interface Skip {
  readonly test: string;
  /** The requirement reported by the test. */
  readonly why: string;
}

/** Result of a test file, and its duration with imports and hooks. */
export interface FileTime {
  readonly file: string;
  readonly project: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
}

export interface TestOutcome {
  readonly passed: number;
  readonly failed: number;
  /** Number of tests in the source. A test may run as many cases, and on two databases. */
  readonly written: number;
  /** Names of the failed tests and files. */
  readonly failures: readonly string[];
  readonly skips: readonly Skip[];
  readonly times: readonly FileTime[];
}

/** Runs vitest in this process. Vitest prints only failures. */
export async function runTests(options: TestOptions): Promise<TestOutcome> {
  const vitest = await startVitest(
    "test",
    [...(options.filters ?? [])],
    {
      root: ROOT,
      watch: false,
      project: options.kinds.flatMap((kind) => PROJECTS[kind]),
      reporters: ["minimal"],
    },
    {},
  );
  const outcome = count(vitest);
  await vitest.close();
  // Vitest sets the exit code for its own failures; here the total at the end decides.
  process.exitCode = 0;
  return outcome;
}

function count(vitest: Vitest): TestOutcome {
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const failures = [
    ...tests.filter((test) => test.result().state === "failed").map(nameOf),
    ...modules.filter(isBroken).map(({ relativeModuleId }) => `${relativeModuleId}: outside its tests`),
    ...vitest.state.getUnhandledErrors().map((error) => `Unhandled: ${inOneLine(error)}`),
  ];
  return {
    passed: tests.filter((test) => test.result().state === "passed").length,
    failed: failures.length,
    failures,
    written: new Set(tests.map(placeOf)).size,
    skips: tests.filter((test) => test.result().state === "skipped").map(describeSkip),
    times: modules.map(timeOf),
  };
}

/** Returns the place of a test in the source. All cases of a table share one place. */
function placeOf({ module, location }: TestCase): string {
  return `${module.relativeModuleId}:${location?.line}:${location?.column}`;
}

function timeOf(module: TestModule): FileTime {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  const ms = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
  return {
    file: module.relativeModuleId,
    project: module.project.name,
    seconds: ms / 1000,
    passed: [...module.children.allTests("passed")].length,
    failed: [...module.children.allTests("failed")].length + (isBroken(module) ? 1 : 0),
  };
}

/** Returns whether a module failed without a failed test: loading failed, or a hook threw. */
function isBroken(module: TestModule): boolean {
  return !module.ok() && [...module.children.allTests("failed")].length === 0;
}

function describeSkip(test: TestCase): Skip {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return { test: nameOf(test), why: note ?? "it did not say why" };
}

function nameOf({ module, fullName }: TestCase): string {
  return `${module.project.name} ${module.relativeModuleId}: ${fullName}`;
}

function inOneLine(error: unknown): string {
  const hasMessage = typeof error === "object" && error !== null && "message" in error;
  return String(hasMessage ? error.message : error).split("\n", 1)[0]!;
}
