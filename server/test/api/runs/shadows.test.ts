import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createShadowRound } from "#operations/runs/shadows/shadow-round";
import { createUser } from "#operations/users/create-user";
import { apiFixture, type ApiFixture } from "../../support/api-fixture.ts";
import { changeStatus, createRun, untilStatus } from "../../support/run-rows.ts";

interface Shadows {
  readonly on: boolean;
  readonly causes: readonly { readonly cause: string; readonly runs: number }[];
  readonly runs: readonly Record<string, unknown>[];
}

const SPECIFICATION = {
  inputs: { files: ["in.txt"] },
  workflow: { type: "serial", specification: { steps: [{ name: "s", commands: ["true"] }] } },
  outputs: { files: ["out.txt"] },
};
const ADA = "ada@example.org";
const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });

async function userOf(api: ApiFixture, token: string | undefined) {
  const { id, accessToken } = await createUser(api.operations, { email: ADA, token });
  return { id, email: ADA, token: accessToken };
}

async function put(
  api: ApiFixture,
  token: string,
  run: string,
  name: string,
  content: string,
): Promise<void> {
  const url = `/api/workflows/${run}/workspace?file_name=${name}`;
  const headers = { ...headersOf(token), "content-type": "application/octet-stream" };
  expect((await api.inject({ method: "POST", url, headers, payload: content })).statusCode).toBe(200);
}

describe("a run that is also sent to another server", () => {
  let here: ApiFixture;
  let there: ApiFixture;
  let url: string;
  let ada: { readonly id: string; readonly email: string; readonly token: string };
  let started = 0;

  beforeAll(async () => {
    here = await apiFixture({ parts: { runSettings: { isShadowed: true } } });
    there = await apiFixture();
    url = await there.listen();
    ada = await userOf(here, undefined);
    await userOf(there, ada.token);
  });
  afterAll(async () => {
    await here.close();
    await there.close();
  });

  const never = new AbortController().signal;

  /** Takes a step of each copy, some time later. */
  async function round(laterMs = 0, target = url): Promise<void> {
    const { clock } = here.operations;
    const later = { ...clock, now: () => clock.now() + laterMs };
    await createShadowRound({ ...here.operations, clock: later }, target, never)();
  }

  async function report(token = ada.token): Promise<Shadows> {
    return (await here.inject({ url: "/api/shadows", headers: headersOf(token) })).json<Shadows>();
  }

  async function of(run: { readonly id: string }) {
    return (await report()).runs.find((one) => one["workflow_id"] === run.id);
  }

  /** Creates and starts a run with an input. Returns the run and its job here. */
  async function start(name: string) {
    const run = await createRun(here, ada, name, SPECIFICATION);
    await put(here, ada.token, run.id, "in.txt", `input of ${name}`);
    await changeStatus(here, ada, run.id, "start");
    return { run, job: await here.backend.startedJob(started++) };
  }

  let copies = 0;

  /** Sends the copy, and ends both runs with an output each. */
  async function finish(name: string, outputs: readonly [here: string, there: string]) {
    const { run, job } = await start(name);
    await round();
    const copy = `shadow-${run.id.slice(0, 13)}`;
    const copyJob = await there.backend.startedJob(copies++);
    await put(here, ada.token, run.id, "out.txt", outputs[0]);
    await put(there, ada.token, copy, "out.txt", outputs[1]);
    here.backend.end(job);
    there.backend.end(copyJob);
    await untilStatus(here, ada, run.id, "finished");
    await untilStatus(there, ada, copy, "finished");
    await round(20_000);
    return { run, copy };
  }

  test("is created, filled and started there once, and the same outputs count as the same result", async () => {
    const { run, copy } = await finish("same", ["42", "42"]);
    const input = await there.inject({
      url: `/api/workflows/${copy}/workspace/in.txt`,
      headers: headersOf(ada.token),
    });
    expect(input.body).toBe("input of same");
    expect(await of(run)).toMatchObject({
      workflow_name: "same.1",
      user_email: ADA,
      cause: "same result",
      here: { status: "finished", seconds: expect.any(Number), failure: null },
      there: { status: "finished", seconds: expect.any(Number), failure: null },
      outputs: [],
    });
    await round(60_000);
    const list = await there.inject({ url: "/api/workflows?type=batch", headers: headersOf(ada.token) });
    expect(list.json<{ total: number }>().total).toBe(1);
  });

  test("is named with the outputs that differ, and runs are grouped by the difference", async () => {
    const { run } = await finish("other", ["42", "43"]);
    expect(await of(run)).toMatchObject({ cause: "out.txt differs", outputs: ["out.txt"] });
    await finish("another", ["1", "2"]);
    expect((await report()).causes).toEqual([
      { cause: "out.txt differs", runs: 2 },
      { cause: "same result", runs: 1 },
    ]);
    expect((await report(here.adminToken)).runs).toHaveLength(3);
    const eve = await here.makeUser();
    expect((await report(eve.token)).runs).toEqual([]);
  });

  test("waits while one of the two has not ended, and a failure there is shown with its words", async () => {
    const { run, job } = await start("fails-there");
    await round();
    here.backend.end(job);
    await untilStatus(here, ada, run.id, "finished");
    await round(20_000);
    expect(await of(run)).toMatchObject({ cause: null, problem: null });
    there.backend.end(await there.backend.startedJob(copies++), { exitCode: 1 });
    await untilStatus(there, ada, `shadow-${run.id.slice(0, 13)}`, "failed");
    await round(60_000);
    expect(await of(run)).toMatchObject({
      cause: "finished here, failed there",
      there: { status: "failed", failure: expect.any(String) },
    });
  });

  test("is sent after the other server has come back, and the start does not notice", async () => {
    const { run, job } = await start("away");
    await round(0, "http://127.0.0.1:9");
    expect(await of(run)).toMatchObject({ cause: null, problem: "127.0.0.1:9 does not respond." });
    await round(1000);
    expect(await of(run)).toMatchObject({ problem: "127.0.0.1:9 does not respond." });
    await round(10_000);
    expect(await of(run)).toMatchObject({ problem: null });
    await there.backend.startedJob(copies++);
    here.backend.end(job);
    await untilStatus(here, ada, run.id, "finished");
  });

  test("is not compared if an input changed after the start", async () => {
    const { run, job } = await start("changed");
    // The clock of the file system is some milliseconds behind.
    await delay(20);
    await put(here, ada.token, run.id, "in.txt", "changed");
    await round();
    expect(await of(run)).toMatchObject({ cause: "the input in.txt changed after the start" });
    here.backend.end(job);
    await untilStatus(here, ada, run.id, "finished");
  });

  test("is not sent for a user who has switched it off, until it is on again", async () => {
    const flip = async (on: boolean) => {
      const payload = { on };
      const reply = await here.inject({
        method: "PUT",
        url: "/api/shadows",
        headers: headersOf(ada.token),
        payload,
      });
      expect(reply.json()).toEqual({ on });
    };
    await flip(false);
    const { run, job } = await start("off");
    expect([(await report()).on, await of(run)]).toEqual([false, undefined]);
    here.backend.end(job);
    await untilStatus(here, ada, run.id, "finished");
    await flip(true);
    const again = await start("on");
    expect(await of(again.run)).toMatchObject({ cause: null });
    here.backend.end(again.job);
    await untilStatus(here, ada, again.run.id, "finished");
  });

  describe("to a REANA, by its recorded answers", () => {
    let reana: Server;
    let answers: Readonly<Record<string, readonly [status: number, body: object | string]>>;
    const seen: string[] = [];

    beforeAll(async () => {
      reana = createServer((request, response) => void reply(request, response));
      reana.listen(0, "127.0.0.1");
      await once(reana, "listening");
    });
    beforeEach(async () => {
      // Copies of the tests above are no longer looked at.
      await here.operations.db.updateTable("shadows").set({ due_at: null }).execute();
      seen.splice(0);
    });
    afterAll(async () => {
      reana.close();
      await once(reana, "close");
    });

    async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const address = new URL(request.url!, "http://reana");
      const parts = await request.toArray();
      const place = `${request.method} ${address.pathname.replace(/shadow-[\w-]+/, "NAME")}`;
      seen.push(`${place} ${Buffer.concat(parts as Buffer[]).length}`);
      const [status, body] = answers[place] ?? [
        404,
        { message: "REANA_WORKON is set to NAME, but that workflow does not exist." },
      ];
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    }

    const address = () => `http://127.0.0.1:${(reana.address() as AddressInfo).port}`;
    const ID = "cdcf48b1-c2f3-4693-8230-b066e088c6ac";
    const CREATED = {
      "POST /api/workflows": [
        201,
        {
          message: "The workflow has been successfully created.",
          workflow_id: ID,
          workflow_name: "shadow.1",
        },
      ],
      [`POST /api/workflows/${ID}/workspace`]: [200, { message: "in.txt has been successfully uploaded." }],
      [`POST /api/workflows/${ID}/start`]: [
        200,
        {
          message: "Workflow submitted.",
          status: "queued",
          user: "0",
          workflow_id: ID,
          workflow_name: "shadow.1",
        },
      ],
    } as const;

    async function ended(name: string) {
      const { run, job } = await start(name);
      await round(0, address());
      await put(here, ada.token, run.id, "out.txt", "42");
      here.backend.end(job);
      await untilStatus(here, ada, run.id, "finished");
      await round(20_000, address());
      return run;
    }

    test("the requests of its clients arrive, and a failure is shown with the last line of the log", async () => {
      answers = {
        ...CREATED,
        [`GET /api/workflows/${ID}/status`]: [
          200,
          {
            created: "2026-11-20T10:00:00",
            id: ID,
            logs: "{}",
            name: "shadow.1",
            progress: {
              run_started_at: "2026-11-20T10:00:05",
              run_finished_at: "2026-11-20T10:01:05",
              run_stopped_at: null,
            },
            status: "failed",
            user: "0",
          },
        ],
        [`GET /api/workflows/${ID}/logs`]: [
          200,
          {
            logs: JSON.stringify({ workflow_logs: "one\n2026-11-20 ERROR Job failed.\n", job_logs: {} }),
            user: "0",
          },
        ],
      };
      const run = await ended("reana");
      expect(await of(run)).toMatchObject({
        cause: "finished here, failed there",
        there: { status: "failed", seconds: 60, failure: "2026-11-20 ERROR Job failed." },
      });
      expect(seen).toEqual([
        "GET /api/workflows/NAME/status 0",
        expect.stringMatching(/^POST \/api\/workflows \d{3}$/),
        `POST /api/workflows/${ID}/workspace ${"input of reana".length}`,
        expect.stringMatching(/\/start \d+$/),
        `GET /api/workflows/${ID}/status 0`,
        `GET /api/workflows/${ID}/logs 0`,
      ]);
    });

    test("a refusal is the result, with REANA's sentence", async () => {
      answers = { "POST /api/workflows": [400, { message: "Workflow type 'serial' is not enabled." }] };
      const run = await ended("refused");
      expect(await of(run)).toMatchObject({
        cause: "refused there: Workflow type 'serial' is not enabled.",
        here: null,
        there: null,
      });
    });

    test("an output on one server alone is a difference", async () => {
      answers = {
        ...CREATED,
        [`GET /api/workflows/${ID}/status`]: [200, { id: ID, status: "finished", progress: {} }],
      };
      const run = await ended("absent");
      expect(await of(run)).toMatchObject({ cause: "out.txt differs", there: { seconds: null } });
    });
  });
});
