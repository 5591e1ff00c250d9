import { setTimeout as delay } from "node:timers/promises";
import { makeGate } from "../support/gate.ts";
import { startRuns, untilRuns } from "../support/runs.ts";
import { memoryMb, removeFolder, startReprise, temporaryFolder, TOKEN } from "../support/server-process.ts";
import { atMost, median, type Row } from "../support/table.ts";
import { requestTimes } from "../support/request-times.ts";

/** Measures a server under heavy load. */
export async function manyRuns(): Promise<Row[]> {
  return [await listWhileRunning(), ...(await recovery()), await memoryOfManyQueued()];
}

const LIST = `/api/workflows?page=1&size=20&access_token=${TOKEN}`;

/** All runs are live; their short jobs take turns on the machine's processors. */
async function listWhileRunning(): Promise<Row> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder, { settings: ["--max-runs", "1000"] });
  await startRuns(
    server,
    1000,
    Array.from({ length: 50 }, () => "true"),
  );
  await untilRuns(folder, "status in ('running', 'finished')", 1000);
  const times = await requestTimes(server.url + LIST, 1000);
  await server.kill();
  await removeFolder(folder);
  return atMost(
    "list of 20 while 1,000 runs execute, p99",
    "–",
    times.p99,
    50,
    "ms",
    `p50 ${times.p50.toFixed(1)} ms`,
  );
}

const ROUNDS = 3;

/** Returns the time from the start of the new server until all runs are driven again and it responds to a ping. */
async function recoveryMs(runs: number): Promise<number> {
  const folder = await temporaryFolder();
  const settings = ["--max-runs", String(runs), "--cores", String(runs)];
  const first = await startReprise(folder, { settings });
  const gate = await makeGate(folder);
  await startRuns(first, runs, [gate.command]);
  await untilRuns(folder, "jobs_running = 1", runs);
  await delay(1000);
  await first.kill();
  const beganAt = performance.now();
  const second = await startReprise(folder, { settings });
  await untilRuns(folder, "lease_epoch = 2", runs);
  await requestTimes(`${second.url}/api/ping`, 1);
  const tookMs = performance.now() - beganAt;
  await gate.open();
  await untilRuns(folder, "status = 'finished'", runs);
  await second.stop();
  await removeFolder(folder);
  return tookMs;
}

async function recovery(): Promise<Row[]> {
  const few: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    few.push(await recoveryMs(100));
    many.push(await recoveryMs(1000));
  }
  const [fewMs, manyMs] = [median(few), median(many)];
  const detail = `${manyMs.toFixed(0)} against ${fewMs.toFixed(0)} ms`;
  return [
    atMost("recovery of 1,000 live runs after kill -9, with the start", "–", manyMs, 5000, "ms"),
    atMost("recovery of 1,000 live runs", "100 live runs", manyMs / fewMs, 12, "×", detail),
  ];
}

async function memoryOfManyQueued(): Promise<Row> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder, { settings: ["--max-runs", "100", "--cores", "100"] });
  const gate = await makeGate(folder);
  await startRuns(server, 10_100, [gate.command]);
  await untilRuns(folder, "jobs_running = 1", 100);
  await delay(2000);
  const usedMb = await memoryMb(server.pid);
  await server.kill();
  await gate.open();
  await delay(1000);
  await removeFolder(folder);
  return atMost("memory with 10,000 queued and 100 live runs", "–", usedMb, 300, "MB");
}
