import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { apptainerProfile } from "#backends/containers/apptainer/apptainer-runtime";
import { startScript } from "#backends/containers/apptainer/apptainer-words";

test("the start script gives a command exactly its variables", () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-start-"));
  const script = path.join(folder, "start.sh");
  const values = { ODD: "a b'\n\"c $HOME", UID: "12", "a.b": "dotted", PATH: "/usr/bin:/bin" };
  writeFileSync(script, startScript(values, path.join(folder, "made")));
  const env = { APPTAINER_NAME: "x", PS1: "y", PATH: "/bin:/usr/bin" };
  const printed = execFileSync("/bin/sh", [script, "env", "-0"], { encoding: "utf8", env });
  const pairs = printed.split("\0").filter((pair) => !/^(PWD|SHLVL|_|)(=|$)/.test(pair));
  expect(pairs.toSorted()).toEqual(
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .toSorted(),
  );
  rmSync(folder, { recursive: true });
});

test("a profile for Apptainer repeats no default, and refuses clone3 and ptrace", () => {
  const profile = {
    defaultAction: "SCMP_ACT_ERRNO",
    defaultErrnoRet: 38,
    syscalls: [
      { names: ["bdflush"], action: "SCMP_ACT_ERRNO", errnoRet: 1 },
      { names: ["read", "ptrace", "clone3"], action: "SCMP_ACT_ALLOW" },
    ],
  };
  expect(JSON.parse(apptainerProfile(JSON.stringify(profile)))).toEqual({
    defaultAction: "SCMP_ACT_ERRNO",
    syscalls: [
      { names: ["read"], action: "SCMP_ACT_ALLOW" },
      { names: ["clone3"], action: "SCMP_ACT_TRACE" },
    ],
  });
});
