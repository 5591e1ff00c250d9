import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "reprise-sdk";
import { afterAll, describe, expect, test } from "vitest";
import { buildServer } from "#api/server";
import { systemClock } from "#plumbing/clock";
import { createLog } from "#plumbing/log";
import { apiFixture } from "../support/api-fixture.ts";
import { createRun, serial, T } from "../support/run-rows.ts";

let laterMs = 0;
const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
const api = await apiFixture({ parts: { clock } });
const base = await api.listen();
const ada = await api.makeUser();
afterAll(() => api.close());

let keys = 0;
const newKey = () => `key-${(keys += 1)}`;

async function ask(method: "POST" | "PUT" | "DELETE", url: string, key: string, payload?: object | string) {
  const reply = await api.inject({
    method,
    url: `${url}${url.includes("?") ? "&" : "?"}${T(ada)}`,
    headers: { "idempotency-key": key },
    ...(payload !== undefined && { payload }),
  });
  return {
    status: reply.statusCode,
    body: reply.json<Record<string, unknown>>(),
    isReplayed: reply.headers["idempotency-replayed"] === "true",
  };
}

const create = (name: string, key: string, specification = serial(["true"])) =>
  ask("POST", `/api/workflows?workflow_name=${name}`, key, specification);
const count = async (name: string) => {
  const reply = await api.inject(`/api/workflows?workflow_id_or_name=${name}&page=1&${T(ada)}`);
  return reply.json<{ total: number }>().total;
};

describe("equal requests with an equal key are carried out once", () => {
  test("a workflow is created once", async () => {
    const key = newKey();
    const [first, second] = [await create("one", key), await create("one", key)];
    expect(first).toMatchObject({ status: 201, isReplayed: false });
    expect(second).toEqual({ ...first, isReplayed: true });
    expect(await count("one")).toBe(1);
  });

  test("with another key it is another request", async () => {
    await create("two", newKey());
    await create("two", newKey());
    expect(await count("two")).toBe(2);
  });

  test("also while the first is still under way", async () => {
    const key = newKey();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => create("many", key)));
    expect(new Set(answers.map(({ body }) => body["workflow_id"])).size).toBe(1);
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(await count("many")).toBe(1);
  });

  test("also by two servers of one database", async () => {
    const other = buildServer({
      operations: api.operations,
      log: createLog({ level: "silent", destination: { write: () => undefined } }),
      version: "2",
      config: { host: "127.0.0.1", maxJsonBytes: 1024, maxStreamsPerUser: 1 },
    });
    const key = newKey();
    const url = `/api/workflows?workflow_name=both&${T(ada)}`;
    const request = {
      method: "POST",
      url,
      headers: { "idempotency-key": key },
      payload: serial(["true"]),
    } as const;
    const answers = await Promise.all([api.inject(request), other.inject(request), other.inject(request)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(await count("both")).toBe(1);
    await other.close();
  });

  test.each([
    ["PUT", "status?status=start"],
    ["POST", "start"],
  ] as const)("%s %s", async (method, path) => {
    const run = await createRun(api, ada, "started");
    const key = newKey();
    const first = await ask(method, `/api/workflows/${run.id}/${path}`, key, {});
    const again = await ask(method, `/api/workflows/${run.id}/${path}`, key, {});
    expect(first).toMatchObject({ status: 200, isReplayed: false });
    expect(again).toEqual({ ...first, isReplayed: true });
    expect((await ask(method, `/api/workflows/${run.id}/${path}`, newKey(), {})).status).toBe(409);
  });

  test("a stop, a deletion of all runs and a restart are answered with the same sentence", async () => {
    const run = await createRun(api, ada, "ended");
    await ask("PUT", `/api/workflows/${run.id}/status?status=start`, newKey(), {});
    const steps = [
      ["stop", {}, "Workflow successfully stopped"],
      ["start", { restart: true }, "Workflow submitted."],
      ["stop", {}, "Workflow successfully stopped"],
      ["deleted", { all_runs: true }, "All workflows named ended successfully deleted."],
    ] as const;
    let address = run.id;
    for (const [word, body, message] of steps) {
      const key = newKey();
      const change = () => ask("PUT", `/api/workflows/${address}/status?status=${word}`, key, body);
      const first = await change();
      expect(first).toMatchObject({ status: 200, body: { message }, isReplayed: false });
      expect(await change()).toEqual({ ...first, isReplayed: true });
      address = String(first.body["workflow_id"]);
    }
  });

  test("files: moved, deleted, uploaded", async () => {
    const run = await createRun(api, ada, "files");
    const workspace = `/api/workflows/${run.id}/workspace`;
    const steps = [
      ["POST", `${workspace}?file_name=a`, "content"],
      ["PUT", `/api/workflows/move_files/${run.id}?source=a&target=b`],
      ["DELETE", `${workspace}/b`],
    ] as const;
    for (const [method, url, payload] of steps) {
      const key = newKey();
      const first = await ask(method, url, key, payload);
      expect(first).toMatchObject({ status: 200, isReplayed: false });
      expect(await ask(method, url, key, payload)).toEqual({ ...first, isReplayed: true });
    }
  });

  test("a token is issued once, and stored nowhere in the clear", async () => {
    const key = newKey();
    const issue = () =>
      api.inject({
        method: "POST",
        url: `/api/admin/users/${ada.id}/tokens?access_token=${api.adminToken}`,
        headers: { "idempotency-key": key },
      });
    const [first, second] = [await issue(), await issue()];
    expect([first.statusCode, second.body]).toEqual([201, first.body]);
    const rows = await api.operations.db.selectFrom("idempotency_keys").select("sealed").execute();
    expect(JSON.stringify(rows)).not.toContain(first.json<{ token: string }>().token);
  });
});

describe("different requests", () => {
  test("another request with an equal key is refused", async () => {
    const key = newKey();
    await create("first", key);
    const refused = `The Idempotency-Key ${key} was used for a different request. Use a new key for each request.`;
    expect(await create("second", key)).toMatchObject({
      status: 409,
      body: { message: refused, code: "idempotency-key-reused" },
    });
    expect((await create("first", key, serial(["false"]))).status).toBe(409);
    expect(await count("second")).toBe(0);
  });

  test("keys are each user's own", async () => {
    const key = newKey();
    await create("mine", key);
    const bob = await api.makeUser();
    const url = `/api/workflows?workflow_name=mine&${T(bob)}`;
    const reply = await api.inject({
      method: "POST",
      url,
      headers: { "idempotency-key": key },
      payload: serial(["true"]),
    });
    expect([reply.statusCode, reply.headers["idempotency-replayed"]]).toEqual([201, undefined]);
  });

  test("a refusal is not stored: the request may be corrected", async () => {
    const key = newKey();
    expect((await create("a.b", key)).status).toBe(400);
    expect((await create("right", key)).status).toBe(201);
  });

  test("a refusal that names the missing secrets is not stored either", async () => {
    const key = newKey();
    const remove = () => ask("DELETE", "/api/secrets", key, ["ABSENT"]);
    const [first, second] = [await remove(), await remove()];
    expect(first).toMatchObject({ status: 404, body: ["ABSENT"], isReplayed: false });
    expect(second).toEqual(first);
  });

  test.each(["", "two words", "é", "x".repeat(256)])("a malformed key: %j", async (key) => {
    expect((await create("malformed", key)).status).toBe(400);
  });

  test("after a day the answer is forgotten", async () => {
    const key = newKey();
    await create("old", key);
    laterMs = 24 * 3_600_000 + 60_000;
    expect(await create("old", key)).toMatchObject({ status: 201, isReplayed: false });
    const rows = await api.operations.db.selectFrom("idempotency_keys").select("key").execute();
    expect(rows).toEqual([{ key }]);
  });
});

test("through something that carries out and drops every third answer, all happens once", async () => {
  let answers = 0;
  const dropping = http.createServer((request, response) => {
    const { method, url, headers } = request;
    const onward = http.request(base + url, { method, headers }, (answer) => {
      answers += 1;
      if (answers % 3 === 0) return void response.destroy();
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await once(dropping.listen(0, "127.0.0.1"), "listening");
  const { port } = dropping.address() as AddressInfo;
  const client = connect({
    url: `http://127.0.0.1:${port}`,
    token: ada.token,
    retryPausesMs: Array.from({ length: 20 }, () => 0),
  });
  for (let made = 1; made <= 10; made += 1) {
    const { data } = await client.POST("/api/workflows", {
      params: { query: { workflow_name: "dropped" } },
      body: serial(["true"]),
    });
    expect(data!.workflow_name).toBe(`dropped.${made}`);
    const path = { workflow_id_or_name: data!.workflow_id };
    await client.PUT("/api/workflows/{workflow_id_or_name}/status", {
      params: { path, query: { status: "start" } },
    });
  }
  expect(await count("dropped")).toBe(10);
  expect(answers).toBeGreaterThan(25);
  dropping.closeAllConnections();
  await once(dropping.close(), "close");
});
