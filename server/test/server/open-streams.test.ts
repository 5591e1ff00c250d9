import { once } from "node:events";
import net from "node:net";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Operations } from "#operations/operations";
import { type ApiFixture, apiFixture, type FixtureUser } from "../support/api-fixture.ts";
import { follow, type Follower } from "../support/follower.ts";
import { changeStatus, createRun, T, untilStatus } from "../support/run-rows.ts";

/**
 * Tests of streamed responses: how many a user may have open, and how long one stays open for a client that stops
 * reading.
 */
const api = await apiFixture({ config: { maxStreamsPerUser: 3 } });
const base = await api.listen();
/** More than any connection buffers. */
const jobLogs: Operations["jobLogs"] = {
  read: async (_job, _from, maxBytes) => Buffer.alloc(maxBytes, "x"),
  size: async () => 2 ** 40,
  remove: async () => undefined,
};
const endless = await apiFixture({ config: { silenceTimeoutMs: 300 }, operations: { jobLogs } });
const endlessBase = await endless.listen();
const opened: Follower[] = [];

afterEach(() => opened.splice(0).forEach((one) => one.leave()));
afterAll(async () => {
  await api.close();
  await endless.close();
});

async function runningJob(on: ApiFixture) {
  const user = await on.makeUser();
  const { id } = await createRun(on, user, "w");
  const index = on.backend.started.length;
  await changeStatus(on, user, id, "start");
  const job = await on.backend.startedJob(index);
  await untilStatus(on, user, id, "running");
  return { user, id, job };
}

async function open(user: FixtureUser, path: string): Promise<Follower> {
  const follower = await follow(`${base}/api/workflows/w/${path}${path.includes("?") ? "&" : "?"}${T(user)}`);
  opened.push(follower);
  return follower;
}

const EVENTS = "events";
const LOG = "jobs/0.0/log?follow=true";

describe("a user has a limited number of open streams", () => {
  test("the next one of any kind is refused with a sentence; other users are counted separately", async () => {
    const { user } = await runningJob(api);
    for (const path of [EVENTS, LOG, EVENTS]) expect((await open(user, path)).status).toBe(200);
    for (const path of [EVENTS, LOG]) {
      const refused = await open(user, path);
      expect(refused.status).toBe(429);
      expect(await refused.ended).toBe("whole");
      expect(JSON.parse(refused.text())).toEqual({
        code: "too-many-streams",
        message:
          "You have 3 open streams (events, logs, comparisons), and no more are allowed. Close one of them first, " +
          "or ask the administrator for more (--max-streams-per-user).",
      });
    }
    expect((await open((await runningJob(api)).user, EVENTS)).status).toBe(200);
  });

  test("a stream that has ended or was closed makes room", async () => {
    const { user, job } = await runningJob(api);
    const [first, second] = [await open(user, EVENTS), await open(user, EVENTS), await open(user, EVENTS)];
    first.leave();
    await expect.poll(async () => (await open(user, LOG)).status).toBe(200);
    api.backend.end(job, { exitCode: 0 });
    expect(await second.ended).toBe("whole");
    await expect.poll(async () => (await open(user, LOG)).status).toBe(200);
  });
});

test("a client that stops reading is disconnected", async () => {
  const served = await servedToNobody();
  await expect.poll(() => served.destroyed).toBe(true);
  // The connection was filled, and not simply refused.
  expect(served.bytesWritten).toBeGreaterThan(100_000);
});

/** Returns the server's end of a connection whose client asks for a log and never reads. */
async function servedToNobody(): Promise<net.Socket> {
  const { user } = await runningJob(endless);
  const { port, hostname } = new URL(endlessBase);
  const accepted = once(endless.app.server, "connection") as Promise<[net.Socket]>;
  const stuck = net.connect(Number(port), hostname).pause();
  stuck.on("error", () => undefined);
  stuck.write(`GET /api/workflows/w/jobs/0.0/log?${T(user)} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  const [served] = await accepted;
  served.once("close", () => stuck.destroy());
  return served;
}
