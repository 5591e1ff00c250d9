import { once } from "node:events";
import http from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Simulates many open pages of one run (`ui/src/api/run-news.ts`) in a separate process. Each page shows the
 * first jobs and follows the events and a log. When jobs have changed, it requests their records. Prints
 * `open` when all pages have their first responses.
 */
const [count, run, token] = process.argv.slice(2) as [string, string, string];
const SHOWN = ["status?", "actions?", "jobs?page=1&size=500&"];
const LOOK_EVERY_MS = 2000;
const MAX_RECORDS = 100;
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });

function ask(route: string, given: http.RequestOptions = { agent }): Promise<http.IncomingMessage> {
  const url = `${run}/${route}access_token=${token}`;
  return new Promise((resolve, reject) => {
    http
      .get(url, given, (response) => {
        if (response.statusCode === 200) resolve(response);
        else reject(new Error(`${url} was answered with ${response.statusCode}.`));
      })
      .on("error", reject);
  });
}

async function read(route: string): Promise<void> {
  const response = await ask(route);
  await once(response.resume(), "end");
}

async function open(): Promise<void> {
  const [events, log] = await Promise.all(
    ["events?", "jobs/0.0/log?follow=true&"].map((route) => ask(route, { agent: false })),
  );
  log!.resume();
  await Promise.all(SHOWN.map(read));
  const news = new Set<string>();
  createInterface(events!).on("line", (line) => {
    const [, id] = /^data: {"id":"([\w-]+)","key"/.exec(line) ?? [];
    if (id !== undefined) news.add(id);
  });
  void keepLooking(news);
}

async function keepLooking(news: Set<string>): Promise<void> {
  for (;;) {
    await delay(LOOK_EVERY_MS * (0.5 + Math.random() / 2));
    // The first answers hold the jobs that ended before the page was opened.
    const ids = [...news].slice(-MAX_RECORDS);
    news.clear();
    if (ids.length > 0) await read(`jobs?${ids.map((id) => `id=${id}&`).join("")}`);
  }
}

await Promise.all(Array.from({ length: Number(count) }, open));
console.log("open");
