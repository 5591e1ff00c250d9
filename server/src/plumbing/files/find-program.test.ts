import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { afterEach, expect, test, vi } from "vitest";
import { isProgram, maybeProgram } from "#plumbing/files/find-program";
import { folderForEach } from "#plumbing/files/folder-fixture";

let folder: string;
folderForEach((made) => void (folder = made));
afterEach(() => void vi.unstubAllEnvs());

/** Makes a folder of the PATH. `make` creates the file `tool` in it. */
function pathFolder(name: string, make: (tool: string) => void): string {
  mkdirSync(path.join(folder, name));
  make(path.join(folder, name, "tool"));
  return path.join(folder, name);
}

test("the first regular file that may be executed is the program", () => {
  const others = [
    pathFolder("folders", (tool) => mkdirSync(tool)),
    pathFolder("texts", (tool) => writeFileSync(tool, "")),
    pathFolder("broken", (tool) => symlinkSync("nowhere", tool)),
    pathFolder("circles", (tool) => symlinkSync("tool", tool)),
    path.join(folder, "texts", "tool"),
    path.join(folder, "x".repeat(300)),
    "relative",
  ];
  vi.stubEnv("PATH", others.join(":"));
  expect(maybeProgram("tool")).toBeUndefined();
  const programs = pathFolder("programs", (tool) => symlinkSync(process.execPath, tool));
  vi.stubEnv("PATH", [...others, programs, folder].join(":"));
  expect(maybeProgram("tool")).toBe(path.join(programs, "tool"));
});

test("a file is a program only for those who may execute it", () => {
  const tool = path.join(folder, "tool");
  writeFileSync(tool, "");
  expect(isProgram(tool)).toBe(false);
  chmodSync(tool, 0o755);
  expect(isProgram(tool)).toBe(true);
});
