import { readFileSync } from "node:fs";
import path from "node:path";
import { runsOf } from "../support/runs.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";
import { MEMORY_DISK } from "./chain.ts";

const STARTS = 200;

/** Measures from the start request of a run to its first job, whose first action is to write the time. */
export async function startLatency(): Promise<Row[]> {
  const folder = await temporaryFolder(MEMORY_DISK);
  const server = await startReprise(path.join(folder, "data"));
  const runs = runsOf(server);
  const file = path.join(folder, "began");
  const waits: number[] = [];
  for (let start = 1; start <= STARTS; start += 1) {
    const run = await runs.create([`echo $$EPOCHREALTIME > ${file}`]);
    const askedAtMs = performance.timeOrigin + performance.now();
    await runs.start(run);
    await runs.reach("finished", start);
    waits.push(Number(readFileSync(file, "utf8")) * 1000 - askedAtMs);
  }
  await server.stop();
  await removeFolder(folder);
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!;
  const what = "start request to the job's process";
  return [
    atMost(`${what}, p50 of ${STARTS}`, "–", at(0.5), 50, "ms"),
    atMost(`${what}, p99`, "–", at(0.99), 200, "ms"),
  ];
}
