import { appendFile, mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Times } from "./wrk.ts";

export interface Row {
  readonly what: string;
  readonly against: string;
  readonly measured: string;
  readonly bound: string;
  readonly holds: boolean;
}

export function atLeast(what: string, against: string, ratio: number, bound: number, detail: string): Row {
  return {
    what,
    against,
    measured: `${ratio.toFixed(2)} (${detail})`,
    bound: `≥ ${bound}`,
    holds: ratio >= bound,
  };
}

export function atMost(
  what: string,
  against: string,
  value: number,
  bound: number,
  unit: string,
  detail = "",
): Row {
  const measured = `${value.toFixed(unit === "×" ? 2 : 0)} ${unit}${detail && ` (${detail})`}`;
  return { what, against, measured, bound: `≤ ${bound} ${unit}`, holds: value <= bound };
}

/**
 * Makes a row with the median and the 95th percentile of requests; the bound, if there is one, applies to the median.
 */
export function timed(what: string, { p50Ms, p95Ms }: Times, boundMs?: number): Row {
  return {
    what: `${what}, p50`,
    against: "–",
    measured: `${p50Ms.toFixed(2)} ms (p95 ${p95Ms.toFixed(2)} ms)`,
    bound: boundMs === undefined ? "–" : `≤ ${boundMs} ms`,
    holds: boundMs === undefined || p50Ms <= boundMs,
  };
}

/** Makes a row without a bound, for results that depend on the disk more than on the server. */
export function shown(what: string, against: string, ratio: number, detail: string): Row {
  return { what, against, measured: `${ratio.toFixed(2)} × (${detail})`, bound: "–", holds: true };
}

/** Makes a row for a failed measurement, so that the remaining rows are still reported. */
export function failed(name: string, error: unknown): Row {
  console.error(error);
  const why = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").slice(0, 200);
  return { what: name, against: "–", measured: `could not be measured: ${why}`, bound: "–", holds: false };
}

/** Prints rows as soon as they are measured. The rows form one table. */
export function print(rows: readonly Row[], { withHead }: { readonly withHead: boolean }): void {
  console.log([...(withHead ? HEAD : []), ...rows.map(rowLine)].join("\n"));
}

const RESULTS = path.join(import.meta.dirname, "..", "results");
const MACHINE = `Node ${process.versions.node}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB`;

interface Progress {
  readonly when: Date;
  readonly done: number;
  readonly of: number;
}

/** Writes the newest table for people, with the progress, so that an interrupted benchmark loses no rows. */
export async function keepSoFar(rows: readonly Row[], { when, done, of }: Progress): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const machine = done < of ? `${MACHINE}. Not whole: ${done} of ${of} measurements.` : MACHINE;
  const table = [...HEAD, ...rows.map(rowLine)].join("\n");
  await writeFile(path.join(RESULTS, "latest.md"), `# ${timeText(when)}\n\n${machine}\n\n${table}\n`);
}

/** Appends a line for each complete run, which shows trends. */
export async function keepInHistory(rows: readonly Row[], when: Date): Promise<void> {
  const line = JSON.stringify({ when: timeText(when), machine: MACHINE, rows });
  await appendFile(path.join(RESULTS, "history.jsonl"), `${line}\n`);
}

function timeText(when: Date): string {
  return when.toISOString().slice(0, 19);
}

const HEAD = ["| what | against | measured | bound | |", "|---|---|---|---|---|"];

function rowLine(row: Row): string {
  return `| ${row.what} | ${row.against} | ${row.measured} | ${row.bound} | ${row.holds ? "holds" : "**FAILS**"} |`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
