import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import {
  repetitionScript,
  type RepetitionOrder,
} from "#operations/runs/verification/cause/repetition-script";

const ORDER: RepetitionOrder = {
  number: 1,
  varied: [],
  command: "echo made > out.txt",
  files: ["out.txt"],
  mark: `${process.pid}`.padStart(8, "0"),
  timeLimitSeconds: 60,
};

/** Programs named `faketime` that fail as the real one does if it meets shared memory of a killed process. */
test.each([
  ["once", 'if [ -e "$0.tried" ]; then echo /lib; else : > "$0.tried"; exit 1; fi', false],
  ["always", "exit 1", true],
])("a repetition goes on if faketime fails %s", (_when, script, isMissing) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-repetition-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, "faketime"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
  const { status, stderr } = spawnSync("bash", ["-c", repetitionScript(ORDER)], { cwd: folder, env });
  expect([status, status === 0 ? "" : stderr.toString()]).toEqual([0, ""]);
  const kept = path.join(folder, "repetitions", "1");
  expect(readFileSync(path.join(kept, "files", "out.txt"), "utf8")).toBe("made\n");
  const [code, ...missing] = readFileSync(path.join(kept, "state"), "utf8").trim().split(" ");
  expect([code, missing.includes("clock")]).toEqual(["0", isMissing]);
});
