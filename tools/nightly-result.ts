import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project.ts";
import type { FileTime } from "./run-tests.ts";
import type { Counts } from "./tally.ts";

const FILE = path.join(ROOT, "bench", "results", "nightly.json");

/** Writes the result of the last whole night: when, on which commit, the counts, and the seconds of each file. */
export function keepNight({
  times,
  passed,
  failed,
  written,
}: Counts & { readonly times: readonly FileTime[] }): void {
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: ROOT,
    encoding: "utf8",
  }).trim();
  const seconds = times.map((time) => [`${time.file} (${time.project})`, Math.round(time.seconds)]);
  const result = { date: new Date().toISOString(), commit, written, passed, failed };
  writeFileSync(
    FILE,
    `${JSON.stringify({ ...result, seconds: Object.fromEntries(seconds) }, undefined, 2)}\n`,
  );
}
