import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

/** Skips a test that compares with Python if Python is missing: `beforeEach(needsPython)`. */
export function needsPython(context: TestContext): void {
  const isThere = spawnSync("python3", ["--version"]).status === 0;
  context.skip(!isThere, "it needs python3: apt-get install python3");
}
