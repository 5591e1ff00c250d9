import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { buildPackage } from "../support/built.ts";
import {
  memoryMb,
  PROGRAM,
  removeFolder,
  type ServerProcess,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, type Row } from "../support/table.ts";
import { createRun, upload } from "../support/transfer.ts";

const GIB = 2 ** 30;
const SETTLE_MS = 2000;

async function idle(folder: string, main: string): Promise<number> {
  const server = await startCached(folder, main);
  await fetch(`${server.url}/api/ping`);
  await delay(SETTLE_MS);
  const used = await memoryMb(server.pid);
  await server.stop();
  return used;
}

/** Starts a server as users do, for the second time: its compiled code is cached. */
async function startCached(folder: string, main: string): Promise<ServerProcess> {
  const environment = { XDG_CACHE_HOME: path.join(folder, "cache") };
  const start = () => startReprise(path.join(folder, "data"), { main, environment });
  await (await start()).stop();
  return start();
}

/**
 * Returns the highest resident memory during each of the four GiB. Memory is flat if the last value is not
 * higher than the first.
 */
async function peaksDuringUpload(): Promise<number[]> {
  const folder = await temporaryFolder();
  const server = await startCached(folder, PROGRAM);
  const run = await createRun(server.url, TOKEN);
  const peaks = [0, 0, 0, 0];
  let looked = 0;
  const target = `${server.url}/api/workflows/${run}/workspace?file_name=big.bin&access_token=${TOKEN}`;
  await upload(target, 4 * GIB, async (sent) => {
    if (sent - looked < 16 * 2 ** 20) return;
    looked = sent;
    const quarter = Math.floor(sent / GIB);
    peaks[quarter] = Math.max(peaks[quarter]!, await memoryMb(server.pid));
  });
  await server.stop();
  await removeFolder(folder);
  return peaks;
}

export async function memory(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const built = await idle(folder, await buildPackage(folder));
  const source = await idle(folder, PROGRAM);
  await removeFolder(folder);
  const peaks = await peaksDuringUpload();
  const detail = `${peaks.map((peak) => peak.toFixed(0)).join(", ")} in each GiB`;
  return [
    atMost("memory, idle, built", "–", built, 120, "MB"),
    atMost("memory, idle, from source", "–", source, 140, "MB"),
    atMost("memory during a 4 GiB upload", "–", Math.max(...peaks), 220, "MB", detail),
    atMost("memory in the last GiB of it", "the first", peaks[3]! / peaks[0]!, 1.1, "×"),
  ];
}
