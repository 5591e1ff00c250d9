import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project.ts";
import type { FileTime } from "./run-tests.ts";

const FILE = path.join(ROOT, "bench", "results", "nightly.json");

interface NightOfFile {
  readonly date: string;
  readonly commit: string;
  readonly passed: number;
  readonly failed: number;
  readonly minutes: number;
}

/**
 * Keeps the last result of each long test file: when, on which commit, the counts and the minutes. Files that did not run
 * this time keep their entry, so that a night may be spread over several runs.
 */
export function keepNight(times: readonly FileTime[]): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  const date = new Date().toISOString();
  const nights = new Map<string, NightOfFile>(
    existsSync(FILE) ? Object.entries(JSON.parse(readFileSync(FILE, "utf8"))) : [],
  );
  for (const { file, project, seconds, passed, failed } of times) {
    const minutes = Number((seconds / 60).toFixed(1));
    nights.set(`${file} (${project})`, { date, commit: commit.trim(), passed, failed, minutes });
  }
  const sorted = Object.fromEntries([...nights].toSorted(([one], [other]) => one.localeCompare(other)));
  writeFileSync(FILE, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
