import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { runsOf } from "../support/runs.ts";
import { seedRuns } from "../support/seed.ts";
import { removeFolder, startReprise, temporaryFolder } from "../support/server-process.ts";
import { atMost, median, type Row } from "../support/table.ts";
import { openPage, paintedMs } from "../support/web-browser.ts";

const DIST = path.join(import.meta.dirname, "..", "..", "ui", "dist");
const ROUNDS = 5;
const RUNS = 100_000;
const LINES = 1_000_000;

/** Measures the web page in a real browser: its size, its first paint, a live run of many jobs, a long log. */
export async function webPage(): Promise<Row[]> {
  return [
    ...(await listOfManyRuns()),
    ...(await runOfManyJobs()),
    ...(await liveRun()),
    ...(await longLog()),
  ];
}

async function listOfManyRuns(): Promise<Row[]> {
  const folder = await temporaryFolder();
  await (await startReprise(folder)).stop();
  seedRuns(folder, RUNS);
  const server = await startReprise(folder);
  const browser = await openPage(server.url);
  const ms = await medianOf(() => paintedMs(browser.page, "/runs", "of 100,000"));
  await browser.close();
  await server.stop();
  await removeFolder(folder);
  return [
    atMost("the page: initial JavaScript and CSS, gzipped", "–", await initialKb(), 180, "kB"),
    atMost("the page: list of 100,000 runs, first paint", "–", ms, 1000, "ms"),
  ];
}

/** Returns the compressed size of everything that the first document names. */
async function initialKb(): Promise<number> {
  const html = gunzipSync(await readFile(path.join(DIST, "index.html.gz"))).toString();
  const named = new Set([...html.matchAll(/assets\/[\w.-]+\.(?:js|css)/g)].map(([name]) => name));
  const sizes = await Promise.all([...named].map((name) => stat(path.join(DIST, `${name}.gz`))));
  if (sizes.length < 2) throw new Error(`No built page in ${DIST}: ${(await readdir(DIST)).join(", ")}`);
  return sizes.reduce((sum, { size }) => sum + size, 0) / 1000;
}

async function runOfManyJobs(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder);
  const runs = runsOf(server);
  const run = await runs.create(Array.from({ length: 1000 }, () => "true"));
  await runs.start(run);
  await runs.reach("finished", 1);
  const browser = await openPage(server.url);
  const ms = await medianOf(() => paintedMs(browser.page, `/runs/${run}`, "1,000 jobs"));
  await browser.close();
  await server.stop();
  await removeFolder(folder);
  return [atMost("the page: run of 1,000 jobs, first paint", "–", ms, 1500, "ms")];
}

const WATCHED_MS = 15_000;

/** Measurements in the browser while a user types: the delay of each key, and the time between frames. */
const NOTE = `window.noted = { delays: [], frames: [] };
addEventListener("keydown", (event) => noted.delays.push(performance.now() - event.timeStamp), true);
let last = performance.now();
requestAnimationFrame(function frame(now) {
  noted.frames.push(now - last);
  last = now;
  requestAnimationFrame(frame);
});`;

interface Noted {
  readonly delays: readonly number[];
  readonly frames: readonly number[];
}

async function liveRun(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder, { settings: ["--cores", "4"] });
  const runs = runsOf(server);
  const run = await runs.create(Array.from({ length: 10_000 }, (_, index) => `echo ${index}`));
  await runs.start(run);
  const browser = await openPage(server.url);
  const { page } = browser;
  await page.goto(`/runs/${run}`);
  await page.getByLabel("Search in the log").waitFor();
  await page.evaluate(NOTE);
  for (const end = performance.now() + WATCHED_MS; performance.now() < end;) {
    await page.getByLabel("Search in the log").press("a");
    await delay(100);
  }
  const { delays, frames } = await page.evaluate<Noted>("noted");
  await browser.close();
  await server.kill();
  await removeFolder(folder);
  const detail = `${delays.length} keys, ${frames.length} frames`;
  return [
    atMost("the page: live run of 10,000 jobs, input delay p95", "–", at(delays, 0.95), 100, "ms", detail),
    atMost("the page: live run of 10,000 jobs, longest frame", "–", Math.max(...frames), 200, "ms", detail),
  ];
}

async function longLog(): Promise<Row[]> {
  const folder = await temporaryFolder();
  const server = await startReprise(folder);
  const runs = runsOf(server);
  const run = await runs.create([`seq -f 'event %g: 1432 hits in the calorimeter' ${LINES}`]);
  await runs.start(run);
  await runs.reach("finished", 1);
  const browser = await openPage(server.url);
  await browser.page.goto(`/runs/${run}`);
  await browser.page.locator(`[data-line="${LINES}"]`).waitFor({ timeout: 120_000 });
  const frames = await framesOfScrolling(browser.page);
  const usedMb = await browser.memoryMb();
  await browser.close();
  await server.stop();
  await removeFolder(folder);
  const slow = (100 * frames.filter((ms) => ms > 50).length) / frames.length;
  return [
    atMost(
      "the page: log of 1,000,000 lines, scroll frames over 50 ms",
      "–",
      slow,
      1,
      "%",
      `${frames.length} frames`,
    ),
    atMost("the page: log of 1,000,000 lines, memory of the tab", "–", usedMb, 300, "MB"),
  ];
}

/** Scrolls through the whole log, a bit further in each frame. */
function framesOfScrolling(page: Page): Promise<readonly number[]> {
  return page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector('[role="log"]');
    const frames = [];
    let last = performance.now();
    const step = (now) => {
      frames.push(now - last);
      last = now;
      box.scrollTop = (box.scrollHeight * frames.length) / 600;
      if (frames.length < 600) requestAnimationFrame(step);
      else resolve(frames.slice(1));
    };
    requestAnimationFrame(step);
  })`);
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await measure());
  return median(times);
}

function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
}
