import { createHmac } from "node:crypto";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { dueNotifications } from "#store/notifications/deliveries";
import { oneRun } from "#store/runs/runs";
import { setDisabled } from "#store/users/users";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { accept, openWebhookReceiver, type ReceivedMessage } from "../../support/fakes/webhook-receiver.ts";

/** Messages about runs, from the change of a status to a receiver on this machine. */
const clock = movableClock();
const receiver = await openWebhookReceiver();
const webhooks = {
  privateHosts: [new URL(receiver.url).host, "rebound.example.org"],
  resolve: async (host: string) => (host === "rebinding.example.org" ? ["10.0.0.1"] : ["127.0.0.1"]),
};
const api = await apiFixture({ parts: { clock, notifications: { webhooks } } });
const { db, outbox } = api.operations;
const HOUR_MS = 3_600_000;
afterAll(async () => {
  await api.close();
  await receiver.close();
});
afterEach(() => {
  receiver.received.length = 0;
  receiver.reply = accept;
});

interface Added {
  readonly id: string;
  readonly secret: string;
}

interface Listed {
  readonly id: string;
  readonly waiting: number;
  readonly delivered: string | null;
  readonly problem: string | null;
  readonly next_attempt: string | null;
}

async function add(user: FixtureUser, body: object = {}): Promise<Added> {
  const payload = { to: `${receiver.url}/hook?key=1`, ...body };
  const reply = await api.inject({ method: "POST", url: `/api/notifications?${T(user)}`, payload });
  expect(reply.statusCode).toBe(201);
  return reply.json<Added>();
}

async function list(user: FixtureUser): Promise<Listed[]> {
  return (await api.inject(`/api/notifications?${T(user)}`)).json<Listed[]>();
}

/** Starts a workflow of one command. Returns the run and the job. */
async function begin(user: FixtureUser, name: string) {
  const { id } = await createRun(api, user, name, serial(["true"]));
  const index = api.backend.started.length;
  await start(user, id);
  return { id, job: await api.backend.startedJob(index) };
}

/** Runs a workflow of one command until the run ends. */
async function runToEnd(user: FixtureUser, name: string, exitCode = 0): Promise<string> {
  const { id, job } = await begin(user, name);
  await untilStatus(api, user, id, "running");
  api.backend.end(job, { exitCode });
  await untilStatus(api, user, id, exitCode === 0 ? "finished" : "failed");
  return id;
}

const start = (user: FixtureUser, id: string) => changeStatus(api, user, id, "start");
const stop = (user: FixtureUser, id: string) => changeStatus(api, user, id, "stop");

/** Sends due messages, and checks the list of notifications. */
async function deliver(user: FixtureUser, wanted: Partial<Listed>): Promise<void> {
  await outbox.look();
  await outbox.settled();
  expect((await list(user))[0]).toMatchObject(wanted);
}

function contentOf({ body }: ReceivedMessage) {
  return JSON.parse(body) as { type: string; timestamp: string; data: Record<string, unknown> };
}

describe("a notification", async () => {
  const ada = await api.makeUser();
  const run = await createRun(api, ada, "w");
  const url = `/api/notifications?${T(ada)}`;
  const post = { method: "POST" as const, url };
  const refused = (to: string, problem: string) => ({
    ...post,
    body: { to },
    status: 400,
    reply: `Nothing can be sent to ${to}: ${problem}.`,
  });
  const allow = "or ask the administrator to allow the host (--webhook-private-hosts)";
  const added = (on: readonly string[], runName: string | null) => ({
    id: expect.any(String),
    to: "https://example.org/a",
    run: runName,
    on,
    secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
  });
  await runScenarios(api, [
    { name: "without a body", ...post, status: 400 },
    { name: "to nobody", ...post, body: {}, status: 400 },
    { name: "to a word", ...refused("here", "it is neither an https address nor an e-mail address") },
    {
      name: "to a file",
      ...refused("file:///etc/passwd", "it is neither an https address nor an e-mail address"),
    },
    {
      name: "with a password",
      ...refused("https://a:b@example.org/", "it has a user or a password; every message is signed instead"),
    },
    {
      name: "over plain http",
      ...refused("http://example.org/", `it is plain http. Give the https address, ${allow}`),
    },
    ...["127.0.0.1", "10.1.2.3", "[::1]", "169.254.169.254", "[::ffff:127.0.0.1]"].map((host) => ({
      name: `to ${host}`,
      ...refused(`https://${host}/`, `it is a private or local address. Give a public one, ${allow}`),
    })),
    {
      name: "by e-mail",
      ...refused("ada@example.org", "this server sends no e-mail. Give the https address of a webhook"),
    },
    { name: "about no status", ...post, body: { to: "https://example.org/", on: [] }, status: 400 },
    {
      name: "about another status",
      ...post,
      body: { to: "https://example.org/", on: ["pending"] },
      status: 400,
    },
    {
      name: "about a run that does not exist",
      ...post,
      body: { to: "https://example.org/", run: "none" },
      status: 404,
      reply: "There is no workflow none.",
    },
    {
      name: "is added",
      ...post,
      body: { to: "https://example.org/a" },
      status: 201,
      reply: added(["finished", "failed", "stopped"], null),
    },
    {
      name: "about one run and some statuses, in their order",
      ...post,
      body: { to: "https://example.org/a", run: run.id, on: ["failed", "queued", "failed"] },
      status: 201,
      reply: added(["queued", "failed"], "w.1"),
    },
    {
      name: "that does not exist, to remove",
      method: "DELETE",
      url: `/api/notifications/none?${T(ada)}`,
      status: 404,
      reply: "You have no notification with the id none.",
    },
    {
      name: "that does not exist, to test",
      method: "POST",
      url: `/api/notifications/none/test?${T(ada)}`,
      status: 404,
      reply: "You have no notification with the id none.",
    },
  ]);

  test("is listed to its user alone, and removed", async () => {
    const [eve, bob] = [await api.makeUser(), await api.makeUser()];
    const { id } = await add(bob, { to: "https://example.org/bob" });
    expect(await list(eve)).toEqual([]);
    expect(await list(bob)).toEqual([
      {
        id,
        to: "https://example.org/bob",
        run: null,
        on: ["finished", "failed", "stopped"],
        created: expect.stringMatching(/Z$/),
        delivered: null,
        waiting: 0,
        problem: null,
        next_attempt: null,
      },
    ]);
    const remove = (user: FixtureUser) =>
      api.inject({ method: "DELETE", url: `/api/notifications/${id}?${T(user)}` });
    expect((await remove(eve)).statusCode).toBe(404);
    expect((await remove(bob)).statusCode).toBe(200);
    expect((await remove(bob)).statusCode).toBe(404);
    expect(await list(bob)).toEqual([]);
  });

  test("is one of a hundred at most", async () => {
    const user = await api.makeUser();
    for (let count = 0; count < 100; count += 1) await add(user);
    const payload = { to: "https://example.org/" };
    const reply = await api.inject({ method: "POST", url: `/api/notifications?${T(user)}`, payload });
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      409,
      "The notification could not be added: you have 100, which is the maximum. Remove one first.",
    ]);
  });
});

describe("a message", () => {
  test("says what became of the run, and is signed as Standard Webhooks says", async () => {
    const ada = await api.makeUser();
    const { secret } = await add(ada, { on: ["queued", "running", "failed"] });
    const id = await runToEnd(ada, "fit", 3);
    await deliver(ada, { waiting: 0, problem: null, next_attempt: null, delivered: expect.any(String) });
    expect(receiver.received.map((message) => contentOf(message).type)).toEqual([
      "run.queued",
      "run.running",
      "run.failed",
    ]);
    const last = receiver.received[2]!;
    expect(contentOf(last)).toEqual({
      type: "run.failed",
      timestamp: expect.stringMatching(/Z$/),
      data: {
        id,
        name: "fit.1",
        status: "failed",
        restart_of: null,
        created: expect.stringMatching(/Z$/),
        started: expect.stringMatching(/Z$/),
        ended: expect.stringMatching(/Z$/),
        failure: expect.stringContaining("3"),
      },
    });
    const header = (name: string) => String(last.headers[`webhook-${name}`]);
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    const expected = createHmac("sha256", key)
      .update(`${header("id")}.${header("timestamp")}.${last.body}`)
      .digest("base64");
    expect([last.path, last.headers["content-type"], header("signature")]).toEqual([
      "/hook?key=1",
      "application/json",
      `v1,${expected}`,
    ]);
  });

  test("is about the runs of the user, and only the named run", async () => {
    const [ada, eve] = [await api.makeUser(), await api.makeUser()];
    const named = await createRun(api, ada, "named");
    const other = await createRun(api, ada, "other");
    const foreign = await createRun(api, eve, "foreign");
    await add(ada, { run: "named", on: ["queued"] });
    for (const [user, { id }] of [
      [eve, foreign],
      [ada, other],
      [ada, named],
    ] as const)
      await start(user, id);
    await deliver(ada, { waiting: 0, delivered: expect.any(String) });
    expect(receiver.received.map((message) => contentOf(message).data["id"])).toEqual([named.id]);
    for (const [user, { id }] of [
      [eve, foreign],
      [ada, other],
      [ada, named],
    ] as const)
      await stop(user, id);
  });

  test("that was refused is sent again after a pause, with the same id", async () => {
    const ada = await api.makeUser();
    await add(ada);
    receiver.reply = (response) => response.writeHead(500).end("x".repeat(100_000));
    await runToEnd(ada, "again");
    await deliver(ada, {
      waiting: 1,
      delivered: null,
      problem: "The receiver returned the status 500.",
      next_attempt: expect.any(String),
    });
    await deliver(ada, { waiting: 1 });
    expect(receiver.received).toHaveLength(1);
    receiver.reply = accept;
    clock.pass(5000);
    await deliver(ada, { waiting: 0, problem: null, delivered: expect.any(String) });
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  const { port } = new URL(receiver.url);
  test.each([
    [301, `${receiver.url}/allowed`],
    [302, "/relative"],
    [303, "https://rebinding.example.org/private"],
    [307, `http://localhost:${port}/forbidden`],
    [308, `http://[::1]:${port}/forbidden`],
  ])("is not sent where a receiver redirects: %i to %s", async (status, location) => {
    const ada = await api.makeUser();
    await add(ada);
    receiver.reply = (response) => response.writeHead(status, { location }).end();
    await runToEnd(ada, "redirected");
    const problem = `The receiver redirects (${status}), and redirects are not followed. Give the final address.`;
    await deliver(ada, { waiting: 1, problem });
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook?key=1"]);
  });

  test("is given ten seconds, and a hanging program does not delay others", async () => {
    const [ada, bob] = [await api.makeUser(), await api.makeUser()];
    await add(ada, { to: `${receiver.url}/hangs` });
    await add(bob, { to: `${receiver.url}/answers` });
    receiver.reply = () => undefined;
    await runToEnd(ada, "hanging");
    await outbox.look();
    await receiver.until(1);
    receiver.reply = accept;
    await runToEnd(bob, "quick");
    await outbox.look();
    await receiver.until(2);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hangs", "/answers"]);
    clock.pass(10_000);
    await deliver(ada, { waiting: 1, problem: "The receiver did not answer within 10 seconds." });
  });

  test("is not sent where no one listens, or the address is private by the time", async () => {
    const [ada, bob] = [await api.makeUser(), await api.makeUser()];
    await add(ada, { to: "http://rebound.example.org:1/" });
    await add(bob, { to: "https://rebinding.example.org/" });
    for (const user of [ada, bob]) await runToEnd(user, "w");
    await deliver(ada, { problem: "The receiver could not be reached: ECONNREFUSED." });
    await deliver(bob, {
      problem:
        "The receiver may not be reached: it is a private or local address. Give a public one, " +
        "or ask the administrator to allow the host (--webhook-private-hosts).",
    });
  });

  test("is given up after three days, and the next one is sent", async () => {
    const ada = await api.makeUser();
    await add(ada);
    receiver.reply = (response) => response.writeHead(503).end();
    await runToEnd(ada, "old");
    await deliver(ada, { waiting: 1, problem: "The receiver returned the status 503." });
    clock.pass(73 * HOUR_MS);
    await deliver(ada, { waiting: 0 });
    receiver.reply = accept;
    const id = await runToEnd(ada, "new");
    await deliver(ada, { waiting: 0, problem: null, delivered: expect.any(String) });
    expect(contentOf(receiver.received.at(-1)!).data["id"]).toBe(id);
  });

  test("of a disabled user waits", async () => {
    const ada = await api.makeUser();
    await add(ada);
    const { id, job } = await begin(ada, "locked");
    await setDisabled(db, ada.id, clock.now());
    api.backend.end(job);
    await expect.poll(async () => (await oneRun(db, id)).status).toBe("finished");
    expect(await dueNotifications(db, { nowMs: clock.now(), most: 100 })).toEqual([]);
    await outbox.look();
    await setDisabled(db, ada.id, null);
    expect([receiver.received, (await list(ada))[0]]).toMatchObject([[], { waiting: 1 }]);
    await deliver(ada, { waiting: 0, delivered: expect.any(String) });
  });

  test("is removed with the run", async () => {
    const ada = await api.makeUser();
    const { id } = await createRun(api, ada, "gone");
    await add(ada, { run: id });
    await add(ada);
    receiver.reply = (response) => response.writeHead(500).end();
    await start(ada, id);
    await stop(ada, id);
    await untilStatus(api, ada, id, "stopped");
    expect((await list(ada)).map(({ waiting }) => waiting)).toEqual([1, 1]);
    await changeStatus(api, ada, id, "deleted");
    expect((await list(ada)).map(({ waiting }) => waiting)).toEqual([0]);
  });

  test("can be tried", async () => {
    const ada = await api.makeUser();
    const { id } = await add(ada);
    const tryIt = async () =>
      (await api.inject({ method: "POST", url: `/api/notifications/${id}/test?${T(ada)}` })).json<object>();
    expect(await tryIt()).toEqual({ delivered: true, problem: null });
    expect(contentOf(receiver.received[0]!)).toMatchObject({ type: "test", data: {} });
    receiver.reply = (response) => response.destroy();
    expect(await tryIt()).toEqual({
      delivered: false,
      problem: "The receiver could not be reached: ECONNRESET.",
    });
  });
});
