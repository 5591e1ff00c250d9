import { writeSync } from "node:fs";
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { Coverage } from "./coverage.ts";
import type { FailedWorld, WorldsReport } from "./run-worlds.ts";

interface Seeds {
  readonly first: number;
  readonly count: number;
}

/** Tries the worlds of `count` seeds in as many parallel processes as this machine can use. They end with the test. */
export async function tryWorlds({ first, count }: Seeds, signal: AbortSignal): Promise<WorldsReport> {
  const processes = availableParallelism();
  const reports = await Promise.all(
    Array.from({ length: processes }, (_, index) =>
      tryWorldsIn(signal, [
        `--first=${first + index}`,
        `--step=${processes}`,
        `--count=${Math.ceil((count - index) / processes)}`,
      ]),
    ),
  );
  return inAll(reports);
}

export function inAll(reports: readonly WorldsReport[]): WorldsReport {
  const coverage = new Coverage();
  for (const report of reports) coverage.add(report.coverage);
  return {
    worlds: sum(reports.map((report) => report.worlds)),
    runs: sum(reports.map((report) => report.runs)),
    coverage: [...coverage.counts],
    failures: reports.flatMap((report) => report.failures),
  };
}

interface ProcessOptions {
  readonly nodeFlags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a process that is killed at the end of the test. */
export async function tryWorldsIn(
  signal: AbortSignal,
  args: readonly string[],
  { nodeFlags = [], environment = {} }: ProcessOptions = {},
): Promise<WorldsReport> {
  const script = path.join(import.meta.dirname, "run-worlds.ts");
  const child = spawn(process.execPath, [...nodeFlags, script, ...args], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  const [told, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  if (code === 0) return JSON.parse(told) as WorldsReport;
  throw new Error(`The worlds could not be tried: ${complaints}`);
}

export function inWords({ seed, failure, story }: FailedWorld): string {
  return `${story.join("\n")}\nSeed ${seed}: ${failure}\nIts whole story: npm run simulate -- ${seed}`;
}

/** Formats how often everything happened, the rarest first. */
export function coverageTable(report: WorldsReport): string {
  const lines = report.coverage
    .toSorted(([, one], [, other]) => one - other)
    .map(([what, times]) => `${String(times).padStart(9)} ${what}`);
  return [`${report.runs} runs in ${report.worlds} worlds`, ...lines].join("\n");
}

/** Writes past vitest, which hides the output of passing tests. */
export function tell(line: string): void {
  writeSync(2, `${line}\n`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
