import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { libfaketime } from "../support/fakes/libfaketime.ts";
import { client, type RealServer, startRealServer, temporaryFolder } from "../support/real-server.ts";

const HOUR_SECONDS = 3600;

let folder: string;
let remove: () => Promise<void>;
let server: RealServer;
/** Sets the server's time of day to some hours before or after the true one. */
let shift: (hours: number) => void;

beforeEach(async () => {
  ({ folder, remove } = await temporaryFolder());
  const shiftFile = path.join(folder, "shift");
  shift = (hours) => writeFileSync(shiftFile, `${hours < 0 ? "" : "+"}${hours * HOUR_SECONDS}\n`);
  shift(0);
  server = await startRealServer(path.join(folder, "data"), {
    LD_PRELOAD: await libfaketime(),
    FAKETIME_TIMESTAMP_FILE: shiftFile,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  });
});

afterEach(async () => {
  await server.stop();
  await remove();
});

test("a server with a jumping time of day ends each job on time, no job early, and shows no time that runs backwards", async () => {
  const { create, call, ended, setStatus } = client(server.url);
  const patient = await create(["sleep 5; echo done > done.txt", "true"], "patient");
  const limited = await specified(call, { commands: ["sleep 1000"], kubernetes_job_timeout: 2 });
  const beganAt = performance.now();
  await setStatus(patient, "start");
  await setStatus(limited, "start");
  for (const hours of [30, -30, 1, -1]) {
    await delay(700);
    shift(hours);
  }
  expect(await ended(limited)).toMatchObject({ status: "failed" });
  expect(performance.now() - beganAt).toBeGreaterThan(2000);
  expect(await ended(patient)).toMatchObject({ status: "finished" });
  expect(performance.now() - beganAt).toBeGreaterThan(5000);
  await server.stop();
  for (const [table, begun, over] of TIMES) expect(backwards(table, begun, over)).toEqual([]);
});

/** Pairs of times shown as durations. */
const TIMES = [
  ["jobs", "started_at", "finished_at"],
  ["runs", "created_at", "queued_at"],
  ["runs", "started_at", "finished_at"],
] as const;

function backwards(table: string, begun: string, over: string): unknown[] {
  const db = new SqliteDatabase(path.join(folder, "data", "reprise.sqlite"), { readonly: true });
  const rows = db.prepare(`SELECT ${begun}, ${over} FROM ${table} WHERE ${over} < ${begun}`).all();
  db.close();
  return rows;
}

async function specified(call: ReturnType<typeof client>["call"], step: object): Promise<string> {
  const document = { workflow: { type: "serial", specification: { steps: [step] } } };
  return (await call("POST", "workflows", JSON.stringify(document))).body["workflow_id"] as string;
}
