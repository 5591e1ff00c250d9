import { spawnSync } from "node:child_process";
import type { TestContext } from "vitest";

/** For tests in which Python judges: `beforeEach(needsPython)`. */
export function needsPython(context: TestContext): void {
  const isThere = spawnSync("python3", ["--version"]).status === 0;
  context.skip(!isThere, "it needs python3: apt-get install python3");
}
