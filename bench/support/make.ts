import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A makefile with so many targets that do not depend on each other; `recipe` is told the number of each. */
export function makefile(folder: string, count: number, recipe: (index: number) => string): string {
  mkdirSync(folder, { recursive: true });
  const names = Array.from({ length: count }, (_, index) => `t${index}`);
  const rules = names.map((name, index) => `${name}:\n\t@${recipe(index)}\n`);
  const file = path.join(folder, "Makefile");
  writeFileSync(file, [`all: ${names.join(" ")}`, `.PHONY: all ${names.join(" ")}`, ...rules].join("\n"));
  return file;
}

/** How many milliseconds GNU make takes for it, with so many jobs at once. */
export function make(file: string, atOnce = 1): number {
  const beganAt = performance.now();
  execFileSync("make", ["--silent", `--jobs=${atOnce}`, "--file", file], { cwd: path.dirname(file) });
  return performance.now() - beganAt;
}

/** What an attempt of ours leaves on the disk, written by a recipe: folder, home, log and record. */
export function recordingRecipe(index: number): string {
  const folder = `jobs-${process.pid}/${index}`;
  return `mkdir -p ${folder}/scratch; true > ${folder}/log 2>&1; echo ended $$? > ${folder}/record`;
}
