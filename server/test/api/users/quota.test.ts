import { Readable } from "node:stream";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { daysOfUse, recountDaysOfUse } from "#store/runs/usage-days";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { changeStatus, createRun, T, untilStatus } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { duOf, workspaceClient } from "../../support/workspace-client.ts";

/** Quotas: the right to set a quota, the values shown, and the refused requests. */
const SECRET = "quota-secret";
const api = await apiFixture({ config: { quotaSecret: SECRET } });
const closed = await apiFixture();
afterAll(() => Promise.all([api.close(), closed.close()]));
const ada = await api.makeUser("ada@example.org");
const admin = `access_token=${api.adminToken}`;

async function set(body: object, method: "POST" | "PATCH" = "POST") {
  return api.inject({
    method,
    url: "/api/quota",
    headers: { "X-Quota-Management-Secret": SECRET },
    payload: body,
  });
}

const limit = (resource_type: string, amount: number | null, user = ada) =>
  set({ email: user.email, resource_type, limit: amount });
const quotaOf = async (user: FixtureUser) => (await api.inject(`/api/you?${T(user)}`)).json().quota;
afterEach(async () => {
  await limit("cpu", null);
  await limit("disk", null);
});

const NONE = { quota_period_months: null, quota_period_start_at: null };

describe("the administrator's endpoints", async () => {
  const url = "/api/quota?resource_type=cpu&email=ada@example.org";
  const body = { email: "ada@example.org", resource_type: "cpu", limit: 60_000 };
  const post = { method: "POST" as const, url: `/api/quota?${admin}` };
  await runScenarios(api, [
    { name: "nobody", url, status: 401, reply: "User not signed in" },
    { name: "a user", url: `${url}&${T(ada)}`, status: 403, reply: "Action not permitted." },
    {
      name: "a wrong secret",
      url,
      headers: { "X-Quota-Management-Secret": "no" },
      status: 401,
      reply: "Unauthorized",
    },
    { name: "no body", ...post, status: 400, reply: "Resource type is required." },
    {
      name: "no limit",
      ...post,
      body: { ...body, limit: undefined },
      status: 400,
      reply: "Limit is required.",
    },
    { name: "a negative limit", ...post, body: { ...body, limit: -1 }, status: 400 },
    {
      name: "nobody's",
      ...post,
      body: { ...body, email: "no@x.org" },
      status: 404,
      reply: "User not found.",
    },
    {
      name: "of nobody",
      ...post,
      body: { ...body, email: undefined },
      status: 400,
      reply: "No user specified",
    },
    {
      name: "a limit, with the administrator's token",
      ...post,
      body,
      status: 200,
      reply: { message: "OK", limit: 60_000, usage: 0, ...NONE },
    },
    {
      name: "0: no limit",
      ...post,
      body: { ...body, limit: 0 },
      status: 200,
      reply: { message: "Resource limit is not set.", limit: -1, usage: 0, ...NONE },
    },
    {
      name: "a limit, with the secret",
      method: "POST",
      url: "/api/quota",
      headers: { "X-Quota-Management-Secret": SECRET },
      body,
      status: 200,
      reply: { message: "OK", limit: 60_000, usage: 0, ...NONE },
    },
  ]);

  test("a server without a secret accepts none", async () => {
    const reply = await closed.inject({ url, headers: { "X-Quota-Management-Secret": SECRET } });
    expect(reply.statusCode).toBe(403);
    expect(reply.json()).toMatchObject({ message: "Quota management endpoint is not configured." });
  });

  test("a period", async () => {
    const period = { email: ada.email, resource_type: "cpu", quota_period_months: 3 };
    const set3 = await set({ ...period, quota_period_start_at: "2026-01-31T15:00:00Z" }, "PATCH");
    expect(set3.json()).toMatchObject({
      quota_period_months: 3,
      quota_period_start_at: "2026-01-31T00:00:00Z",
    });
    const disk = `/api/quota?resource_type=disk&email=${ada.email}&${T(api.admin)}`;
    expect((await api.inject(disk)).json()).toMatchObject(NONE);
    expect((await set({ ...period, resource_type: "disk" }, "PATCH")).statusCode).toBe(400);
    expect((await set({ ...period, quota_period_months: 0 }, "PATCH")).statusCode).toBe(400);
    const none = await set({ ...period, quota_period_months: null }, "PATCH");
    expect(none.json()).toMatchObject(NONE);
  });
});

test("health and human amounts beside a limit", async () => {
  const user = await api.makeUser();
  await use(user, 3_600_500);
  expect((await quotaOf(user)).cpu).toEqual({ usage: { raw: 3_600_500, human_readable: "1h" }, ...NONE });
  for (const [amount, health] of [
    [4_600_000, "healthy"],
    [4_500_000, "warning"],
    [3_600_500, "critical"],
  ] as const) {
    await limit("cpu", amount, user);
    expect((await quotaOf(user)).cpu).toMatchObject({ limit: { raw: amount }, health });
  }
});

/** Finishes a run that uses `cpuMs` of processor time. */
async function use(user: FixtureUser, cpuMs: number): Promise<void> {
  const { id } = await createRun(api, user, "fit");
  await changeStatus(api, user, id, "start");
  await untilStatus(api, user, id, "running");
  api.backend.end((await jobsOfRun(api.operations.db, id))[0]!.id, { usage: { cpuMs } });
  await untilStatus(api, user, id, "finished");
}

test("used-up processor time refuses what would use more, and allows the rest", async () => {
  const user = await api.makeUser();
  const made = await createRun(api, user, "made");
  await use(user, 5000);
  await limit("cpu", 5000, user);
  const message =
    "User quota exceeded.\nResource: cpu, usage: 5s out of 5s used (100%)\n" +
    "Ask the administrator of this server for more processor time.";
  const refused = { message, code: "quota-exceeded" };
  const workspace = workspaceClient(api, user);
  const replies = [
    await changeStatus(api, user, made.id, "start"),
    await changeStatus(api, user, "fit", "start", { restart: true }),
    await api.inject({ method: "POST", url: `/api/workflows/fit/rerun?${T(user)}` }),
    await api.inject({ method: "POST", url: `/api/workflows?${T(user)}`, payload: {} }),
    await workspace.put(made, "a.txt", "x"),
  ];
  for (const reply of replies) expect([reply.statusCode, reply.json()]).toEqual([403, refused]);
  expect((await api.inject(`/api/workflows/fit/status?${T(user)}`)).statusCode).toBe(200);
  expect((await changeStatus(api, user, made.id, "deleted")).statusCode).toBe(200);
  await limit("cpu", null, user);
  expect((await changeStatus(api, user, "fit", "start", { restart: true })).statusCode).toBe(200);
});

describe("disk space", () => {
  test("refuses an upload that would exceed it, before and while it arrives, and never part of a file", async () => {
    const user = await api.makeUser();
    const run = await createRun(api, user, "fit");
    const workspace = workspaceClient(api, user);
    expect((await workspace.put(run, "a.txt", "x")).statusCode).toBe(200);
    await limit("disk", 100_000, user);
    const message =
      "Uploading file b.txt would exceed the disk quota limit (97.66 KiB). Aborting. Delete files or runs that you no " +
      "longer need, or ask the administrator of this server for more space.";
    const announced = await workspace.put(run, "b.txt", "x".repeat(150_000));
    expect([announced.statusCode, announced.json().message]).toEqual([403, message]);
    const chunks = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(10_000)));
    const streamed = await api.inject({
      method: "POST",
      url: workspace.at(run, "", "file_name=b.txt"),
      payload: chunks,
    });
    expect([streamed.statusCode, streamed.json().message]).toEqual([403, message]);
    expect((await workspace.get(run, "b.txt")).statusCode).toBe(404);
    // A refused upload does not count.
    expect((await workspace.put(run, "c.txt", "x".repeat(50_000))).statusCode).toBe(200);
    expect((await quotaOf(user)).disk.usage.raw).toBe(duOf(await workspace.folderOf(run)));
  });

  test("files at the limit: deleting makes room at once", async () => {
    const user = await api.makeUser();
    const run = await createRun(api, user, "fit");
    const workspace = workspaceClient(api, user);
    await workspace.put(run, "a.txt", "x".repeat(50_000));
    await limit("disk", 40_000, user);
    const refused = await workspace.put(run, "b.txt", "x");
    expect(refused.json().message).toMatch(/^User quota exceeded\.\nResource: disk, usage: .* \(\d{3}%\)\n/);
    await api.inject({ method: "DELETE", url: workspace.at(run, "/a.txt") });
    expect((await workspace.put(run, "b.txt", "x")).statusCode).toBe(200);
  });

  test("uploads in parts and many files at once", async () => {
    const user = await api.makeUser();
    const run = await createRun(api, user, "fit");
    await limit("disk", 100_000, user);
    const begin = (size: number) =>
      api.inject({
        method: "POST",
        url: `/api/workflows/${run.id}/uploads?${T(user)}`,
        payload: { file_name: "a.bin", size, sha256: "0".repeat(64) },
      });
    expect((await begin(150_000)).statusCode).toBe(403);
    expect((await begin(50_000)).statusCode).toBe(201);
    const file = (name: string, bytes: number) => `${JSON.stringify({ name, bytes })}\n${"x".repeat(bytes)}`;
    const many = await api.inject({
      method: "POST",
      url: `/api/workflows/${run.id}/files?${T(user)}`,
      headers: { "content-type": "application/octet-stream" },
      payload: file("1.txt", 40_000) + file("2.txt", 40_000) + file("3.txt", 40_000),
    });
    expect([many.statusCode, many.json().message]).toEqual([
      403,
      expect.stringContaining("Uploading file 3.txt"),
    ]);
    const listed = await api.inject(`/api/workflows/${run.id}/workspace?${T(user)}`);
    expect(listed.json().items.map(({ name }: { name: string }) => name)).toEqual(["1.txt", "2.txt"]);
  });
});

test("the days of use equal a recount", async () => {
  const { db } = api.operations;
  const days = await daysOfUse(db, { fromDay: 0, toDay: 10 ** 6 });
  expect(days.length).toBeGreaterThan(1);
  expect(days).toEqual(await recountDaysOfUse(db));
});
