import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { serialCommand } from "#operations/runs/verification/cause/issued-command";
import {
  repetitionScript,
  type RepetitionOrder,
} from "#operations/runs/verification/cause/repetition-script";

const ORDER: RepetitionOrder = {
  number: 1,
  varied: [],
  command: serialCommand("echo made > out.txt"),
  files: ["out.txt"],
  mark: `${process.pid}`.padStart(8, "0"),
  timeLimitSeconds: 60,
  undeclared: { inside: [], changedAfterMs: 0, changedUntilMs: 0 },
};

/** Repeats a step in a folder of its own. Returns the folder with the kept files of the repetition. */
function repeat(order: RepetitionOrder, before: (folder: string) => void = () => {}): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-repetition-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  before(folder);
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
  const { status, stderr } = spawnSync("bash", ["-c", repetitionScript(order)], { cwd: folder, env });
  expect([status, status === 0 ? "" : stderr.toString()]).toEqual([0, ""]);
  return path.join(folder, "repetitions", "1");
}

/** Programs named `faketime` that fail as the real one does if it meets shared memory of a killed process. */
test.each([
  ["once", 'if [ -e "$0.tried" ]; then echo /lib; else : > "$0.tried"; exit 1; fi', false],
  ["always", "exit 1", true],
])("a repetition goes on if faketime fails %s", (_when, script, isMissing) => {
  const kept = repeat(ORDER, (folder) =>
    writeFileSync(path.join(folder, "faketime"), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
  );
  expect(readFileSync(path.join(kept, "files", "out.txt"), "utf8")).toBe("made\n");
  const [code, ...missing] = readFileSync(path.join(kept, "state"), "utf8").trim().split(" ");
  expect([code, missing.includes("clock")]).toEqual(["0", isMissing]);
});

test("a repetition removes what a killed one has left, and never what lies behind a link", () => {
  const order = { ...ORDER, mark: `1${ORDER.mark.slice(1)}` };
  const [left, other, link] = ["a", "bb", "own"].map((end) => `/tmp/reprise-${order.mark}-${end}`) as [
    string,
    string,
    string,
  ];
  for (const place of [left, other]) {
    mkdirSync(path.join(place, "w", "locked"), { recursive: true });
    writeFileSync(path.join(place, "w", "locked", "old.txt"), "", { mode: 0o400 });
  }
  const elsewhere = mkdtempSync(path.join(os.tmpdir(), "reprise-elsewhere-"));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  writeFileSync(path.join(elsewhere, "kept.txt"), "");
  symlinkSync(elsewhere, link);
  const kept = repeat({ ...order, command: serialCommand("ls > out.txt") });
  expect(readFileSync(path.join(kept, "files", "out.txt"), "utf8")).not.toContain("locked");
  expect(existsSync(path.join(elsewhere, "kept.txt"))).toBe(true);
  expect([left, other, link].filter((place) => existsSync(place))).toEqual([]);
});
