import { appendFile, mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

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

/** Without a bound: what is measured depends on the disk more than on us. */
export function shown(what: string, against: string, ratio: number, detail: string): Row {
  return { what, against, measured: `${ratio.toFixed(2)} × (${detail})`, bound: "–", holds: true };
}

export function print(rows: readonly Row[]): void {
  console.log(`\n${markdown(rows)}`);
}

const RESULTS = path.join(import.meta.dirname, "..", "results");

/** The newest table for people, and a line for each run for whoever wants to see a trend. */
export async function keep(rows: readonly Row[]): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const when = new Date().toISOString().slice(0, 19);
  const machine = `Node ${process.versions.node}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB`;
  await writeFile(path.join(RESULTS, "latest.md"), `# ${when}\n\n${machine}\n\n${markdown(rows)}\n`);
  await appendFile(path.join(RESULTS, "history.jsonl"), `${JSON.stringify({ when, machine, rows })}\n`);
}

function markdown(rows: readonly Row[]): string {
  const lines = rows.map(
    (row) =>
      `| ${row.what} | ${row.against} | ${row.measured} | ${row.bound} | ${row.holds ? "holds" : "**FAILS**"} |`,
  );
  return ["| what | against | measured | bound | |", "|---|---|---|---|---|", ...lines].join("\n");
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
