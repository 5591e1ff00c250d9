import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const CONFORMANCE = path.join(import.meta.dirname, "../../../conformance/run.sh");

test("all parts of the conformance tests pass on the package", async ({ signal }) => {
  const { stdout } = await promisify(execFile)("bash", [CONFORMANCE], { signal });
  expect(stdout).toMatch(/\n[1-9]\d* passed, 0 failed\n$/);
});
