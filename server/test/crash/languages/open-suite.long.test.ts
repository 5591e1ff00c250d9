import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { testUnless } from "#plumbing/needs-suite";

const CONFORMANCE = path.join(import.meta.dirname, "../../../../conformance/run.sh");

const NO_SUITE = "it needs the conformance suite of CWL: set CWL_SUITE to its folder";

/** `CWL_SUITE` names the folder of the suite. The test is skipped without a suite. */
testUnless(process.env["CWL_SUITE"] === undefined ? NO_SUITE : undefined)(
  "the open suite of CWL passes on a server that is killed in every test",
  async ({ signal }) => {
    const env = { ...process.env, CWL_WAYS: "killed", CWL_SEED: String(Date.now()) };
    const { stdout } = await promisify(execFile)("bash", [CONFORMANCE, "cwl"], { env, signal });
    expect(stdout).toMatch(/\n[1-9]\d* passed, 0 failed\n$/);
  },
);
