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

/** A file grows if its minutes, as a share of the night, grow by more than this factor. */
const GROWTH_MAX = 1.5;
/** Shorter files vary too much to be compared. */
const COMPARED_MIN_MINUTES = 0.5;

/**
 * Keeps the last result of each slow and long test file: the time, the commit, the counts and the minutes.
 * Files that did not run keep their entry, so that a night may be spread over several runs. Returns a
 * sentence for each file that takes half as long again as before, relative to all files.
 */
export function keepNight(times: readonly FileTime[]): readonly string[] {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8" });
  const date = new Date().toISOString();
  const nights = new Map<string, NightOfFile>(
    existsSync(FILE) ? Object.entries(JSON.parse(readFileSync(FILE, "utf8"))) : [],
  );
  const now = new Map(times.map(({ file, project, seconds }) => [`${file} (${project})`, seconds / 60]));
  const grown = grownFiles(new Map([...nights].map(([name, { minutes }]) => [name, minutes])), now);
  for (const { file, project, passed, failed } of times) {
    const name = `${file} (${project})`;
    const minutes = Number(now.get(name)!.toFixed(1));
    nights.set(name, { date, commit: commit.trim(), passed, failed, minutes });
  }
  const sorted = Object.fromEntries([...nights].toSorted(([one], [other]) => one.localeCompare(other)));
  writeFileSync(FILE, `${JSON.stringify(sorted, undefined, 2)}\n`);
  return grown;
}

/** Compares the minutes of files with their minutes before. The median ratio is the speed of the machine. */
export function grownFiles(
  before: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): readonly string[] {
  const compared = [...now].flatMap(([name, minutes]) => {
    const old = before.get(name) ?? 0;
    return old < COMPARED_MIN_MINUTES ? [] : [{ name, old, minutes, ratio: minutes / old }];
  });
  const ratios = compared.map(({ ratio }) => ratio).toSorted((one, other) => one - other);
  const usual = ratios[Math.floor(ratios.length / 2)] ?? 1;
  return compared
    .filter(({ ratio }) => ratio > usual * GROWTH_MAX)
    .map(
      ({ name, old, minutes }) =>
        `${name} took ${minutes.toFixed(1)} minutes, and ${old.toFixed(1)} the last time: more than half as much again ` +
        `as the other files. Make it shorter, or draw its cases by the commit.`,
    );
}
