import { afterAll, describe, expect, test } from "vitest";
import { issueToken } from "#operations/users/tokens";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { follow } from "../../support/follower.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { type SentEvent, sentEvents } from "../../support/sse.ts";
import { changeStatus, createRun, refusalRows, serial, T, untilStatus } from "../../support/run-rows.ts";

const clock = movableClock();
const api = await apiFixture({ parts: { clock } });
const base = await api.listen();
afterAll(() => api.close());
const ada = await api.makeUser();
const created = await createRun(api, ada, "created");

interface Own {
  readonly user: FixtureUser;
  readonly id: string;
  readonly url: string;
  start(): Promise<string>;
  nextJob(): Promise<string>;
}

/** A run of a user's own, not started yet. */
async function ownRun(specification: object): Promise<Own> {
  const user = await api.makeUser();
  const { id } = await createRun(api, user, "own", specification);
  let index = 0;
  const nextJob = () => api.backend.startedJob((index += 1) - 1);
  return {
    user,
    id,
    url: `${base}/api/workflows/${id}/events?${T(user)}`,
    nextJob,
    async start() {
      index = api.backend.started.length;
      await changeStatus(api, user, id, "start");
      return nextJob();
    },
  };
}

const named = (events: readonly SentEvent[], name: string) => events.filter(({ event }) => event === name);
/** Returns the history: the events with an id, each sent once. */
const history = (text: string) => sentEvents(text).filter(({ id }) => id !== undefined);

describe("GET events", async () => {
  const url = `/api/workflows/created/events?${T(ada)}`;
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", created, (address) => `/api/workflows/${address}/events`)),
    { name: "after what is no id", url: `${url}&last_event_id=7`, status: 400 },
    { name: "after another thing", url, headers: { "last-event-id": "x".repeat(999) }, status: 400 },
    { name: "after the end there is nothing", url: `${url}&last_event_id=end`, status: 204 },
    { name: "HEAD has no bytes", method: "HEAD", url, status: 200 },
  ]);

  test("tell the whole story of a run that fails, and end with the reason", async () => {
    const run = await ownRun(serial(["echo one", "exit 3"]));
    const follower = await follow(run.url);
    expect(follower.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    await expect
      .poll(() => sentEvents(follower.text()))
      .toEqual([
        { event: "status", data: { status: "created", waiting_for: null } },
        { event: "progress", data: { total: 0, created: 0, running: 0, finished: 0, failed: 0 } },
      ]);
    const first = await run.start();
    const job = (id: string, key: string, status: string, exitCode: number | null = null) => ({
      id,
      key,
      attempt: 1,
      step: `s${key[0]}`,
      label: `s${key[0]}`,
      status,
      reason: exitCode === null ? null : "exited",
      exit_code: exitCode,
      at: exitCode === null ? null : (expect.any(String) as string),
    });
    const seen = () => sentEvents(follower.text());
    await expect
      .poll(() => named(seen(), "job"))
      .toEqual([{ event: "job", data: job(first, "0.0", "running") }]);
    api.backend.end(first);
    const second = await run.nextJob();
    await expect.poll(() => named(seen(), "job").at(-1)?.data).toEqual(job(second, "1.0", "running"));
    api.backend.end(second, { exitCode: 3 });
    expect(await follower.ended).toBe("whole");

    const sentence = 'Step "s1" failed: its command exited with code 3.';
    const ended = history(follower.text()).filter(({ event }) => event !== "log");
    expect(ended).toEqual([
      { event: "job", id: expect.any(String) as string, data: job(first, "0.0", "finished", 0) },
      { event: "job", id: expect.any(String) as string, data: job(second, "1.0", "failed", 3) },
      {
        event: "end",
        id: "end",
        data: {
          status: "failed",
          failure: {
            sentence,
            job: {
              id: second,
              key: "1.0",
              attempt: 1,
              step: "s1",
              label: "s1",
              command: "exit 3",
              display_command: "exit 3",
              reason: "exited",
              exit_code: 3,
            },
            last_lines: ["log of exit 3"],
          },
        },
      },
    ]);
    expect(named(seen(), "status").at(-1)?.data).toEqual({ status: "failed", waiting_for: null });
    expect(named(seen(), "progress").at(-1)?.data).toEqual({
      total: 2,
      created: 0,
      running: 0,
      finished: 1,
      failed: 1,
    });
    const logged = named(seen(), "log")
      .map(({ data }) => data["text"] as string)
      .join("");
    const logs = (await api.inject(`/api/workflows/${run.id}/logs?${T(run.user)}`)).json<{ logs: string }>()
      .logs;
    expect(logged).toBe((JSON.parse(logs) as { workflow_logs: string }).workflow_logs);
    expect(logged).toContain(sentence);
  });

  test("name the pace of a run of many jobs, once some have ended", async () => {
    const run = await ownRun(serial(Array.from({ length: 20 }, () => "true")));
    const follower = await follow(run.url);
    let job = await run.start();
    for (let ended = 0; ended < 6; ended += 1) {
      api.backend.end(job, { startedAtMs: Date.now(), endedAtMs: Date.now() });
      job = await run.nextJob();
    }
    const last = () => named(sentEvents(follower.text()), "progress").at(-1)?.data;
    await expect.poll(last).toMatchObject({ finished: 6, pace: { jobs: 5 } });
    const paces = named(sentEvents(follower.text()), "progress").map(({ data }) => "pace" in data);
    expect(paces[0]).toBe(false);
    await changeStatus(api, run.user, run.id, "stop");
    await follower.ended;
    expect(last()).not.toHaveProperty("pace");
  });

  test("count as many jobs as the status does, of a run whose retry was stopped", async () => {
    const step = { environment: "any", commands: ["exit 1"], retries: 2 };
    const specification = { inputs: {}, workflow: { type: "serial", specification: { steps: [step] } } };
    const run = await ownRun(specification);
    api.backend.end(await run.start(), { exitCode: 1 });
    await run.nextJob();
    await changeStatus(api, run.user, run.id, "stop");
    await untilStatus(api, run.user, run.id, "stopped");
    const follower = await follow(run.url);
    await follower.ended;
    const status = await api.inject(`/api/workflows/${run.id}/status?${T(run.user)}`);
    const { progress } = status.json<{ progress: { total: { total: number } } }>();
    expect(progress.total.total).toBe(2);
    expect(named(sentEvents(follower.text()), "progress").at(-1)?.data).toMatchObject({
      total: 2,
      failed: 1,
    });
  });

  test("events continue after the last heard event, wherever the stream was cut", async () => {
    const run = await ownRun(serial(["echo one", "echo two", "echo three"]));
    api.backend.end(await run.start());
    api.backend.end(await run.nextJob());
    api.backend.end(await run.nextJob());
    await untilStatus(api, run.user, run.id, "finished");
    const whole = await follow(run.url);
    await whole.ended;
    const all = history(whole.text());
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(named(all, "job")).toHaveLength(3);
    for (const [at, { id }] of all.slice(0, -1).entries()) {
      const byHeader = await follow(run.url, { "last-event-id": id! });
      const byQuery = await follow(`${run.url}&last_event_id=${id}`);
      expect([await byHeader.ended, await byQuery.ended]).toEqual(["whole", "whole"]);
      expect(history(byHeader.text())).toEqual(all.slice(at + 1));
      expect(history(byQuery.text())).toEqual(all.slice(at + 1));
    }
    expect((await follow(run.url, { "last-event-id": "end" })).status).toBe(204);
  });

  test("show a late client the reason of the wait and the open jobs", async () => {
    const run = await ownRun(serial(["echo one", "echo two"]));
    const first = await run.start();
    api.backend.end(first);
    const second = await run.nextJob();
    await untilStatus(api, run.user, run.id, "running");
    const follower = await follow(run.url);
    const seen = () => sentEvents(follower.text());
    await expect
      .poll(() => named(seen(), "job").map(({ data }) => [data["id"], data["status"]]))
      .toContainEqual([second, "running"]);
    await changeStatus(api, run.user, run.id, "stop");
    expect(await follower.ended).toBe("whole");
    expect(seen().at(-1)).toEqual({ event: "end", id: "end", data: { status: "stopped", failure: null } });
    expect(named(seen(), "job").at(-1)?.data).toMatchObject({
      id: second,
      status: "stopped",
      reason: "cancelled",
    });
  });

  test("show the jobs that a restart takes over, with the logs of the original jobs", async () => {
    const run = await ownRun(serial(["echo one"]));
    const first = await run.start();
    api.backend.end(first);
    await untilStatus(api, run.user, run.id, "finished");
    const restart = await api.inject({
      method: "POST",
      url: `/api/workflows/${run.id}/start?${T(run.user)}`,
      payload: { restart: true },
    });
    const { workflow_id: id } = restart.json<{ workflow_id: string }>();
    const follower = await follow(run.url.replace(run.id, id));
    expect(await follower.ended).toBe("whole");
    const [job, ...others] = named(history(follower.text()), "job");
    expect([job?.data, others]).toEqual([
      expect.objectContaining({ key: "0.0", status: "finished", reason: "taken-over", exit_code: null }),
      [],
    ]);
    // The log exists as long as a run of the workspace exists.
    await changeStatus(api, run.user, run.id, "deleted");
    for (const one of [run.id, id]) {
      const log = await follow(`${base}/api/workflows/${one}/jobs/0.0/log?follow=true&${T(run.user)}`);
      expect([await log.ended, log.text()]).toEqual(["whole", "log of echo one\n"]);
    }
  });

  test("are the same for many concurrent listeners", async () => {
    const run = await ownRun(serial(["echo one", "echo two"]));
    const first = await run.start();
    const followers = await Promise.all(Array.from({ length: 200 }, () => follow(run.url)));
    api.backend.end(first);
    api.backend.end(await run.nextJob());
    expect(new Set(await Promise.all(followers.map(({ ended }) => ended)))).toEqual(new Set(["whole"]));
    const [one, ...others] = followers.map(({ text }) => JSON.stringify(history(text())));
    expect(new Set(others)).toEqual(new Set([one]));
  });

  test("of a quiet run contain a comment from time to time", async () => {
    const run = await ownRun(serial(["echo"]));
    const follower = await follow(run.url);
    await expect.poll(follower.text).toContain("event: progress");
    // The stream may not have begun to wait, so the clock is moved repeatedly.
    await expect
      .poll(() => {
        clock.pass(15_000);
        return follower.text();
      })
      .toContain("\n\n: nothing new\n\n");
    follower.leave();
    expect(await follower.ended).toBe("broken");
  });

  test("are broken off when the token is revoked, and end when the run is deleted", async () => {
    const [one, other] = [await ownRun(serial(["echo"])), await ownRun(serial(["echo"]))];
    const [lost, deleted] = [await follow(one.url), await follow(other.url)];
    await issueToken(api.operations, { user: one.user.id, revokeOthers: true });
    await changeStatus(api, other.user, other.id, "deleted");
    expect([await lost.ended, await deleted.ended]).toEqual(["broken", "whole"]);
    expect(sentEvents(deleted.text()).at(-1)?.data).toEqual({ status: "deleted", failure: null });
  });
});

describe("GET failure", async () => {
  await runScenarios(api, [
    ...(await refusalRows(api, "GET", created, (address) => `/api/workflows/${address}/failure`)),
    {
      name: "of a run that has not failed",
      url: `/api/workflows/created/failure?${T(ada)}`,
      status: 200,
      reply: { failure: null },
    },
  ]);

  test("names the step, the reason and its last output, in the words of the run's log", async () => {
    const run = await ownRun(serial(["exit 3"]));
    const job = await run.start();
    for (let line = 1; line <= 30; line += 1) api.backend.print(job, `line ${line}\n`);
    api.backend.end(job, { reason: "time-limit", exitCode: 137 });
    await untilStatus(api, run.user, run.id, "failed");
    const reply = await api.inject(`/api/workflows/${run.id}/failure?${T(run.user)}`);
    const sentence = 'Step "s0" failed: its command exceeded its time limit and was ended.';
    const lastLines = Array.from({ length: 20 }, (_, index) => `line ${index + 11}`);
    expect(reply.json()).toEqual({
      failure: {
        sentence,
        job: {
          id: job,
          key: "0.0",
          attempt: 1,
          step: "s0",
          label: "s0",
          command: "exit 3",
          display_command: "exit 3",
          reason: "time-limit",
          exit_code: 137,
        },
        last_lines: lastLines,
      },
    });
    const logs = (await api.inject(`/api/workflows/${run.id}/logs?${T(run.user)}`)).json<{ logs: string }>()
      .logs;
    const lines = (JSON.parse(logs) as { workflow_logs: string }).workflow_logs.split("\n");
    const told = lines.map((line) => line.split(" | ERROR | ")[1]).filter((line) => line !== undefined);
    expect(told).toEqual([sentence, "The last lines that it printed:", ...lastLines]);
    await changeStatus(api, run.user, run.id, "deleted");
    const after = await api.inject(`/api/workflows/${run.id}/failure?${T(run.user)}`);
    expect(after.json()).toEqual(reply.json());
  });
});
