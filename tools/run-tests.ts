import { startVitest, type TestCase, type TestModule, type Vitest } from "vitest/node";
import { ROOT } from "./project.ts";

export interface TestOptions {
  /** With those of the same kind on PostgreSQL. */
  readonly projects: readonly ("fast" | "slow" | "long")[];
  /** Only the files whose path contains one of these. */
  readonly filters?: readonly string[];
}

interface Skip {
  readonly test: string;
  /** What the test said it needs. */
  readonly why: string;
}

/** How long a test file took, with its imports and hooks. */
export interface FileTime {
  readonly file: string;
  readonly project: string;
  readonly seconds: number;
}

export interface TestOutcome {
  readonly passed: number;
  readonly failed: number;
  readonly skips: readonly Skip[];
  readonly times: readonly FileTime[];
}

/** Runs vitest in this process; it prints what fails itself, and nothing else. */
export async function runTests(options: TestOptions): Promise<TestOutcome> {
  const vitest = await startVitest(
    "test",
    [...(options.filters ?? [])],
    { root: ROOT, watch: false, project: options.projects.map((name) => `${name}*`), reporters: ["minimal"] },
    {},
  );
  const outcome = count(vitest);
  await vitest.close();
  // Vitest sets it for its own failures; what counts here is the sum at the end.
  process.exitCode = 0;
  return outcome;
}

function count(vitest: Vitest): TestOutcome {
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const broken = modules.filter(isBroken).length;
  const unhandled = vitest.state.getUnhandledErrors().length;
  return {
    passed: tests.filter((test) => test.result().state === "passed").length,
    failed: tests.filter((test) => test.result().state === "failed").length + broken + unhandled,
    skips: tests.filter((test) => test.result().state === "skipped").map(describeSkip),
    times: modules.map(timeOf),
  };
}

function timeOf(module: TestModule): FileTime {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  const ms = environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
  return { file: module.relativeModuleId, project: module.project.name, seconds: ms / 1000 };
}

/** Failed without any test of its own that did: it could not be loaded, or a hook threw. */
function isBroken(module: TestModule): boolean {
  return !module.ok() && [...module.children.allTests("failed")].length === 0;
}

function describeSkip(test: TestCase): Skip {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return { test: `${test.module.relativeModuleId}: ${test.fullName}`, why: note ?? "it did not say why" };
}
