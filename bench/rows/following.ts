import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import path from "node:path";
import { ratioInTurns } from "../support/rounds.ts";
import { requestTimes } from "../support/request-times.ts";
import { runsOf } from "../support/runs.ts";
import {
  memoryMb,
  removeFolder,
  type RepriseProcess,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atLeast, atMost, type Row } from "../support/table.ts";

const PIECE_BYTES = 10_000_000;
const PIECES = 100;
const PRINTS_FAST = `for i in $$(seq ${PIECES}); do head -c ${PIECE_BYTES} /dev/zero; sleep 0.08; done`;
const PRINTS_NOW_AND_THEN = "while true; do echo line; sleep 0.05; done";
const MANY = 200;
const REQUESTS = 1000;
/** Script of the followers, in a separate process, so that reading does not delay the measured requests. */
const FOLLOWERS = path.join(import.meta.dirname, "..", "hosts", "followers.ts");

/** Measures one follower that reads as fast as possible, and many mostly idle followers. */
export async function following(): Promise<Row[]> {
  return [...(await fastLog()), ...(await manyFollowers())];
}

async function fastLog(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder);
  const run = await started(server, PRINTS_FAST);
  const response = await follow(`${run}/jobs/0.0/log?follow=true`);
  let [bytes, peakMb, lookedAt] = [0, 0, 0];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes - lookedAt < PIECE_BYTES) continue;
    lookedAt = bytes;
    peakMb = Math.max(peakMb, await memoryMb(server.pid));
  }
  await server.stop();
  await removeFolder(folder);
  return [
    atMost("following a job that prints 100 MB/s: the server's memory", "–", peakMb, 250, "MB"),
    atLeast(
      "bytes of it that were seen",
      "bytes printed",
      bytes / (PIECES * PIECE_BYTES),
      1,
      `${bytes} bytes`,
    ),
  ];
}

async function manyFollowers(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder);
  const run = await started(server, PRINTS_NOW_AND_THEN);
  const list = `${server.url}/api/workflows?page=1&size=20&access_token=${TOKEN}`;
  const routes = ["events?", "jobs/0.0/log?follow=true&"].map(
    (route) => `${run}/${route}access_token=${TOKEN}`,
  );
  const p99With = (count: number) => async () => {
    const followers = spawn(process.execPath, [FOLLOWERS, String(count), ...routes], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(followers.stdout, "data");
    const { p99 } = await requestTimes(list, REQUESTS);
    const exited = once(followers, "exit");
    followers.kill();
    await exited;
    return p99;
  };
  const { ratio, detail } = await ratioInTurns(p99With(MANY), p99With(1));
  await fetch(`${run}/status?status=stop&access_token=${TOKEN}`, { method: "PUT" });
  await server.stop();
  await removeFolder(folder);
  return [atMost(`p99 of a list with ${MANY} followers of one run`, "1 follower", ratio, 2, "×", detail)];
}

/** Starts a run with one job, and returns its URL as soon as the job is running. */
async function started(server: RepriseProcess, command: string): Promise<string> {
  const runs = runsOf(server);
  const id = await runs.create([command]);
  await runs.start(id);
  await runs.reach("running", 1);
  return `${server.url}/api/workflows/${id}`;
}

async function follow(url: string): Promise<http.IncomingMessage> {
  const request = http.get(`${url}&access_token=${TOKEN}`, { agent: false });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url} was answered with ${response.statusCode}.`);
  return response;
}
