import { readFile } from "node:fs/promises";
import http from "node:http";
import { once } from "node:events";
import { expect, test } from "vitest";
import { ADMIN_TOKEN, client, startRealServer, temporaryFolder } from "../support/real-server.ts";

const MIB = 2 ** 20;
const PRINTED_MIB = 400;
const LINE = "0123456789abcde\n";
const MEMORY_MB_MAX = 250;

/** Prints as fast as the machine can write. All lines are equal, so that each byte can be checked at any cut. */
const COMMAND = `yes 0123456789abcde | head -c ${PRINTED_MIB * MIB}`;

test(
  "a job that prints as fast as it can is followed to its last byte with flat memory, however slowly another client reads",
  { timeout: 240_000 },
  async () => {
    const { folder, remove } = await temporaryFolder();
    const server = await startRealServer(folder);
    const reprise = client(server.url);
    const run = await reprise.create([COMMAND]);
    await reprise.setStatus(run, "start");
    const jobs = async () => (await reprise.call("GET", `workflows/${run}/jobs`)).body["total"];
    await expect.poll(jobs).toBe(1);

    const url = `${server.url}/api/workflows/${run}/jobs/0.0/log?follow=true&access_token=${ADMIN_TOKEN}`;
    const [idle] = (await once(http.get(url), "response")) as [http.IncomingMessage];
    idle.pause();
    const seen = await followed(url, server.pid);

    expect(seen.isAsPrinted).toBe(true);
    expect(seen.bytes).toBe(PRINTED_MIB * MIB);
    expect(seen.peakMb).toBeLessThan(MEMORY_MB_MAX);
    idle.destroy();
    await server.stop();
    await remove();
  },
);

async function followed(url: string, pid: number) {
  const [response] = (await once(http.get(url), "response")) as [http.IncomingMessage];
  const pattern = Buffer.from(LINE.repeat(MIB / LINE.length));
  let [bytes, peakMb, isAsPrinted] = [0, 0, true];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const start = bytes % LINE.length;
    isAsPrinted &&= chunk.equals(pattern.subarray(start, start + chunk.length));
    if (Math.floor(bytes / (16 * MIB)) !== Math.floor((bytes + chunk.length) / (16 * MIB))) {
      peakMb = Math.max(peakMb, await residentMb(pid));
    }
    bytes += chunk.length;
  }
  return { bytes, peakMb, isAsPrinted };
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}
