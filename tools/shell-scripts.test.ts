import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "./project.ts";
import { shellScripts } from "./shell-scripts.ts";
import { runCheck } from "./static-checks.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-shell-scripts-"));
  const files: Record<string, string> = {
    "server/a/main.sh": '# shellcheck source=../b/part.sh\n. "$1/part.sh"\n',
    "server/b/part.sh": "echo part\n",
    "tools/node_modules/other.sh": "echo other\n",
    ".ci/run": "#!/usr/bin/env bash\necho $1\n",
    ".ci/notes": "no script\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

test("scripts are found by their ending or first line, apart from parts of other scripts", () => {
  expect(shellScripts(folder)).toEqual([".ci/run", "server/a/main.sh"]);
});

test("the scripts of the product are found", () => {
  const found = shellScripts(ROOT);
  expect(found).toContain("server/src/backends/process/slots/slot.sh");
  expect(found).toContain(".ci/run");
  expect(found).not.toContain("server/src/backends/process/slots/job-output.sh");
});

test("a fault in a script fails the check, and a missing program skips it with a reason", async (context) => {
  const check = (program: string) =>
    runCheck({
      name: "shell scripts",
      program,
      package: "shellcheck",
      command: [path.join(folder, ".ci/run")],
    });
  expect(await check("no-such-program")).toEqual({
    passed: true,
    output: "",
    skipped: "no-such-program is not installed: apt-get install shellcheck",
  });
  const outcome = await check("shellcheck");
  context.skip(outcome.skipped !== undefined, outcome.skipped);
  expect(outcome).toMatchObject({ passed: false, output: expect.stringContaining("SC2086") });
});
