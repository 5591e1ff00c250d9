import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabaseOf } from "../support/database.ts";
import { follow } from "../support/follower.ts";
import {
  ADMIN_TOKEN,
  client,
  type RealServer,
  startRealServer,
  temporaryFolder,
} from "../support/real-server.ts";
import { type SentEvent, sentEvents } from "../support/sse.ts";

/** Unique, because concurrent runs of these tests on the same machine have sleepers too. */
const UNIQUE = `4242.${process.pid}`;

describe("a killed server", () => {
  let folder: string;
  let remove: () => Promise<void>;
  let server: RealServer;

  beforeEach(async () => {
    ({ folder, remove } = await temporaryFolder());
    server = await startRealServer(folder);
  });

  afterEach(async () => {
    await server.stop();
    await remove();
  });

  const killAndStart = async () => {
    await server.kill();
    server = await startRealServer(folder);
  };

  test("keeps every acknowledged change", async () => {
    const { body: user } = await client(server.url).call(
      "POST",
      "users",
      undefined,
      "&email=ada@example.org",
    );
    await killAndStart();
    const ada = (url: string) => client(url, user["access_token"] as string);
    const run = await ada(server.url).create(["cat data/in.txt"]);
    await killAndStart();
    expect((await ada(server.url).upload(run, "data/in.txt", "whole")).status).toBe(200);
    await killAndStart();
    expect(await ada(server.url).download(run, "data/in.txt")).toEqual({ status: 200, text: "whole" });
    expect((await ada(server.url).setStatus(run, "start")).body["status"]).toBe("queued");
    await killAndStart();
    expect(await ada(server.url).ended(run)).toMatchObject({ status: "finished" });
  });

  test("runs every command of a run exactly once, however often it is killed", async () => {
    const commands = Array.from({ length: 30 }, (_, index) => `echo ${index} >> ran.txt; sleep 0.1`);
    const run = await client(server.url).create(commands);
    await client(server.url).setStatus(run, "start");
    for (const waitMs of [0, 30, 90, 170, 250, 410, 60, 130]) {
      await delay(waitMs);
      await killAndStart();
    }
    const record = await client(server.url).ended(run);
    expect(record).toMatchObject({
      status: "finished",
      progress: { finished: { total: 30 }, running: { total: 0 } },
    });
    const { text } = await client(server.url).download(run, "ran.txt");
    expect(text).toBe(commands.map((_, index) => `${index}\n`).join(""));
    const log = JSON.parse(
      (await client(server.url).call("GET", `workflows/${run}/logs`)).body["logs"] as string,
    ) as {
      workflow_logs: string;
    };
    expect(log.workflow_logs.match(/Publishing step/g)).toHaveLength(30);
  });

  test("finishes a run with a job that ended while no server ran", async () => {
    const [gate, ended] = [path.join(folder, "gate"), path.join(folder, "ended")];
    const commands = [
      `${untilThereIs(gate)}; echo done > out.txt; trap 'touch ${ended}' EXIT`,
      "cat out.txt",
    ];
    const run = await client(server.url).create(commands);
    await client(server.url).setStatus(run, "start");
    await expect.poll(() => client(server.url).status(run)).toMatchObject({ status: "running" });
    await server.kill();
    await writeFile(gate, "");
    await expect.poll(() => existsSync(ended)).toBe(true);
    server = await startRealServer(folder);
    expect(await client(server.url).ended(run)).toMatchObject({ status: "finished" });
  });

  test("is followed from where it was cut off: each byte and each event comes once", async () => {
    const prints = `echo one; ${untilThereIs("go-2")}; echo two; ${untilThereIs("go-3")}; echo three`;
    const run = await client(server.url).create([prints, "echo second; exit 3"]);
    await client(server.url).setStatus(run, "start");
    const watch = (what: string) =>
      follow(`${server.url}/api/workflows/${run}/${what}&access_token=${ADMIN_TOKEN}`);
    await expect.poll(async () => (await watch("jobs/0.0/log?from=0")).status).toBe(200);

    let [log, events] = ["", [] as SentEvent[]];
    for (const last of ["one\n", "two\n", undefined]) {
      const ofLog = await watch(`jobs/0.0/log?follow=true&from=${log.length}`);
      const ofRun = await watch(`events?last_event_id=${events.at(-1)?.id ?? ""}`);
      if (last !== undefined) {
        await expect.poll(ofLog.text).toContain(last);
        await expect.poll(ofRun.text).toContain("event: progress");
        await killAndStart();
        await client(server.url).upload(run, last === "one\n" ? "go-2" : "go-3", "");
      }
      expect(await ofLog.ended).toBe(last === undefined ? "whole" : "broken");
      expect(await ofRun.ended).toBe(last === undefined ? "whole" : "broken");
      log += ofLog.text();
      events = [...events, ...sentEvents(ofRun.text()).filter(({ id }) => id !== undefined)];
    }
    expect(log).toBe("one\ntwo\nthree\n");
    const whole = await watch("events?");
    await whole.ended;
    expect(events).toEqual(sentEvents(whole.text()).filter(({ id }) => id !== undefined));
    const sentence = 'Step "step" (command 2 of 2) failed: its command exited with code 3.';
    expect(events.at(-1)?.data).toMatchObject({ failure: { sentence, last_lines: ["second"] } });
  });

  test("leaves no half file, and no temporary one after the next start", async () => {
    const run = await client(server.url).create(["true"]);
    const half = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(1_000_000));
      },
    });
    const url = `${server.url}/api/workflows/${run}/workspace?file_name=half.bin&access_token=${ADMIN_TOKEN}`;
    const sending = fetch(url, {
      method: "POST",
      body: half,
      duplex: "half",
    });
    const cut = sending.then(
      () => "answered",
      () => "cut",
    );
    const incoming = path.join(folder, "incoming");
    await expect.poll(async () => (await readdir(incoming)).length).toBe(1);
    await server.kill();
    expect(await cut).toBe("cut");
    server = await startRealServer(folder);
    expect(await readdir(incoming)).toEqual([]);
    expect((await client(server.url).download(run, "half.bin")).status).toBe(404);
  });

  test("has counters that equal a recount", async () => {
    const me = client(server.url);
    const runs = await Promise.all(
      [1, 2, 3, 4].map((index) => me.create([`exit ${index % 2}`], `n${index}`)),
    );
    for (const run of runs) await me.setStatus(run, "start");
    await killAndStart();
    for (const run of runs) await client(server.url).ended(run);
    await client(server.url).setStatus(runs[0]!, "deleted");
    await server.stop();
    const db = await openDatabaseOf(folder);
    const ofRun = await db.selectFrom("runs").selectAll().execute();
    const groups = Map.groupBy(ofRun, (row) => row.status);
    const kept = await db.selectFrom("run_counts").selectAll().where("total", ">", 0).execute();
    expect(new Map(kept.map((row) => [row.status, row.total]))).toEqual(
      new Map([...groups].map(([status, rows]) => [status, rows.length])),
    );
    const jobs = await db.selectFrom("jobs").selectAll().execute();
    const jobsOf = (id: string, status: string) =>
      jobs.filter((job) => job.run_id === id && job.status === status).length;
    expect(jobs).toHaveLength(4);
    for (const row of ofRun) {
      expect([row.jobs_finished, row.jobs_failed, row.jobs_running]).toEqual([
        jobsOf(row.id, "finished"),
        jobsOf(row.id, "failed"),
        0,
      ]);
    }
    await db.destroy();
  });
});

describe("a server that is asked to stop", () => {
  test("lets jobs continue, reports the jobs, and the next server finds the jobs", async () => {
    const { folder, remove } = await temporaryFolder();
    const first = await startRealServer(folder);
    const gate = path.join(folder, "gate");
    const run = await client(first.url).create([`${untilThereIs(gate)}; echo on > out.txt`]);
    await client(first.url).setStatus(run, "start");
    await expect.poll(() => client(first.url).status(run)).toMatchObject({ status: "running" });
    expect(await first.stop()).toBe(0);
    expect(first.output()).toContain("1 job continues");
    const next = await startRealServer(folder);
    await writeFile(gate, "");
    expect(await client(next.url).ended(run)).toMatchObject({ status: "finished" });
    await next.stop();
    await remove();
  });

  test("ends the jobs with --stop-jobs", async () => {
    const { folder, remove } = await temporaryFolder();
    const first = await startRealServer(folder, {}, "--stop-jobs");
    const run = await client(first.url).create([`echo up > up.txt; sleep ${UNIQUE}1`]);
    await client(first.url).setStatus(run, "start");
    await expect.poll(async () => (await client(first.url).download(run, "up.txt")).status).toBe(200);
    expect(await first.stop()).toBe(0);
    expect(processesWith(`sleep ${UNIQUE}1`)).toBe(false);
    const next = await startRealServer(folder);
    expect(await client(next.url).status(run)).toMatchObject({ status: "stopped" });
    await next.stop();
    await remove();
  });
});

describe("stopping a run", () => {
  test("ends all its processes, and answers the true status", async () => {
    const { folder, remove } = await temporaryFolder();
    const server = await startRealServer(folder);
    const me = client(server.url);
    const run = await me.create([
      `(setsid sleep ${UNIQUE}2 &); echo up > up.txt; sleep ${UNIQUE}2`,
      "echo never > never.txt",
    ]);
    await me.setStatus(run, "start");
    await expect.poll(async () => (await me.download(run, "up.txt")).status).toBe(200);
    expect(await me.setStatus(run, "stop")).toMatchObject({ status: 200, body: { status: "stopped" } });
    expect(processesWith(`sleep ${UNIQUE}2`)).toBe(false);
    expect(await me.setStatus(run, "stop")).toMatchObject({ status: 200, body: { status: "stopped" } });
    expect((await me.setStatus(run, "start")).status).toBe(409);
    expect(await me.setStatus(run, "deleted")).toMatchObject({
      status: 200,
      body: { status: "deleted" },
    });
    await server.stop();
    await remove();
  });
});

function untilThereIs(file: string): string {
  return `until [ -e ${file} ]; do sleep 0.05; done`;
}

function processesWith(command: string): boolean {
  return execFileSync("ps", ["-eo", "stat,args"], { encoding: "utf8" })
    .split("\n")
    .some((line) => line.endsWith(command) && !line.startsWith("Z"));
}
