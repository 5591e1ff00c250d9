import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes a makefile with `count` independent targets; `recipe` receives the number of each. */
export function makefile(folder: string, count: number, recipe: (index: number) => string): string {
  mkdirSync(folder, { recursive: true });
  const names = Array.from({ length: count }, (_, index) => `t${index}`);
  const rules = names.map((name, index) => `${name}:\n\t@${recipe(index)}\n`);
  const file = path.join(folder, "Makefile");
  writeFileSync(file, [`all: ${names.join(" ")}`, `.PHONY: all ${names.join(" ")}`, ...rules].join("\n"));
  return file;
}

/** Returns the milliseconds that GNU make takes for the file, with `atOnce` parallel jobs. */
export function make(file: string, atOnce = 1): number {
  const beganAt = performance.now();
  execFileSync("make", ["--silent", `--jobs=${atOnce}`, "--file", file], { cwd: path.dirname(file) });
  return performance.now() - beganAt;
}

/** Returns a recipe that writes the same files as a job attempt of the server: folder, home, log and record. */
export function recordingRecipe(index: number): string {
  const folder = `jobs-${process.pid}/${index}`;
  return `mkdir -p ${folder}/scratch; true > ${folder}/log 2>&1; echo ended $$? > ${folder}/record`;
}
