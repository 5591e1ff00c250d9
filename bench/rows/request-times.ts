import { writeFile } from "node:fs/promises";
import path from "node:path";
import { ratioInTurns } from "../support/rounds.ts";
import { runsOf } from "../support/runs.ts";
import { seedRuns } from "../support/seed.ts";
import {
  removeFolder,
  type RepriseProcess,
  startBare,
  startReprise,
  temporaryFolder,
  TOKEN,
} from "../support/server-process.ts";
import { atMost, type Row, timed } from "../support/table.ts";
import { timesAlone } from "../support/wrk.ts";

const STORED = 10_000;
const MIB = 2 ** 20;
const BATCH = 1000;
const ROUNDS = 5;
const LIST = "/api/workflows?type=batch&verbose=false&page=1&size=";
const SPECIFICATION = JSON.stringify({
  workflow: { type: "serial", specification: { steps: [{ commands: ["echo hello"] }] } },
});

/**
 * Measures the latency of sequential requests by one client to an otherwise idle server with many stored
 * runs.
 */
export async function requestTimes(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const data = path.join(folder, "data");
  await (await startReprise(data)).stop();
  seedRuns(data, STORED);
  const ours = await startReprise(data);
  const run = await finishedRun(ours);
  const [status, files] = [`/api/workflows/${run}/status`, `/api/workflows/${run}/workspace`];
  const rows = [
    ...(await againstBare(folder, ours.url, { status, "list of 10": `${LIST}10` })),
    ...(await inMs(folder, ours.url, [
      { what: "status", path: status },
      { what: "list of 10", path: `${LIST}10` },
      { what: "list of 300", path: `${LIST}300`, boundMs: 15 },
      { what: "logs", path: `/api/workflows/${run}/logs` },
      { what: "create", path: "/api/workflows?workflow_name=w", body: SPECIFICATION, boundMs: 6 },
      { what: "upload of 8 B", path: `${files}?file_name=small.bin`, body: "8 bytes.", boundMs: 5 },
      { what: "upload of 1 MiB", path: `${files}?file_name=large.bin`, body: "M".repeat(MIB) },
      { what: "download of 1 MiB", path: `${files}/large.bin` },
    ])),
  ];
  await ours.stop();
  await removeFolder(folder);
  return rows;
}

/** Makes a finished run, as content for reports. */
async function finishedRun(server: RepriseProcess): Promise<string> {
  const runs = runsOf(server);
  const id = await runs.create(["echo hello"]);
  await runs.start(id);
  await runs.reach("finished", STORED + 1);
  return id;
}

/**
 * Compares batches with a server that holds the responses as values and only serializes them. A batch is sent by one
 * client, one request after the other: a single request takes 20 to 200 µs, depending on how soon the kernel wakes the
 * waiting process, and with many connections the faster of two servers never has to wake its client.
 */
async function againstBare(
  folder: string,
  url: string,
  paths: Readonly<Record<string, string>>,
): Promise<Row[]> {
  const answers: Record<string, unknown> = {};
  for (const route of Object.values(paths)) {
    answers[route.split("?")[0]!] = await (await fetch(withToken(url, route))).json();
  }
  const file = path.join(folder, "answers.json");
  await writeFile(file, JSON.stringify(answers));
  const bare = await startBare("same-answers", [file]);
  const rows: Row[] = [];
  for (const [what, route] of Object.entries(paths)) {
    const { ratio, detail } = await ratioInTurns(
      () => batchMs(folder, withToken(url, route)),
      () => batchMs(folder, withToken(bare.url, route)),
      ROUNDS,
    );
    const against = "bare Fastify with the same JSON";
    rows.push(atMost(`${what}, ${BATCH.toLocaleString("en")} requests, ms`, against, ratio, 3, "×", detail));
  }
  await bare.stop();
  return rows;
}

async function batchMs(folder: string, url: string): Promise<number> {
  return BATCH * (await timesAlone(folder, url)).meanMs;
}

interface Asked {
  readonly what: string;
  readonly path: string;
  readonly body?: string;
  /** Bound for the median. */
  readonly boundMs?: number;
}

async function inMs(folder: string, url: string, asked: readonly Asked[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { what, path: route, body, boundMs } of asked) {
    rows.push(timed(what, await timesAlone(folder, withToken(url, route), body), boundMs));
  }
  return rows;
}

function withToken(url: string, route: string): string {
  return `${url}${route}${route.includes("?") ? "&" : "?"}access_token=${TOKEN}`;
}
