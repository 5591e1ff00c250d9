import { afterAll, afterEach, describe, expect, test } from "vitest";
import { jobsOfRun } from "#store/jobs/jobs";
import { limitsOf } from "#operations/quota/limits";
import { putLimit } from "#store/users/quotas";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { fakeBackend } from "../../support/fakes/fake-backend.ts";
import { changeStatus, createRun, serial, statusOf, T, untilStatus } from "../../support/run-rows.ts";

/** Policies: what the administrator allows everybody, or the members of a group. */
const plain = fakeBackend();
const backend = { ...plain, capabilities: { ...plain.capabilities, imageProblem: () => undefined } };
const api = await apiFixture({ parts: { backends: [backend] } });
afterAll(() => api.close());
const { db } = api.operations;
const A = `access_token=${api.adminToken}`;
const NOTHING = { images: null, cpu_ms: null, disk_bytes: null, wall_ms: null, max_runs: null };

async function ask(method: "GET" | "PUT" | "POST" | "DELETE", path: string, by = A, payload?: object) {
  const reply = await api.inject({ method, url: `/api/${path}?${by}`, ...(payload && { payload }) });
  return { status: reply.statusCode, body: reply.json() };
}

const set = (group: string, policy: object) => ask("PUT", `admin/policies/${group}`, A, policy);
afterEach(() => set("everybody", NOTHING));

let groups = 0;
async function groupOf(owner: FixtureUser, policy: object): Promise<string> {
  const name = `g${(groups += 1)}`;
  await ask("POST", "groups", T(owner), { name });
  expect((await set(name, policy)).status).toBe(200);
  return name;
}

const cpuLimitOf = async (user: FixtureUser) =>
  (await ask("GET", "you", T(user))).body.quota.cpu.limit?.raw ?? null;

describe("the administrator", () => {
  test("sets and lists policies; an absent field stays, and an empty field removes the policy", async () => {
    const ada = await api.makeUser();
    const name = await groupOf(ada, { cpu_ms: 5000, images: ["python", "docker.io/rootproject/*"] });
    await set("everybody", { max_runs: 3 });
    const changed = { ...NOTHING, group: name, cpu_ms: 5000, images: ["python"] };
    expect(await set(name, { images: ["python"] })).toEqual({ status: 200, body: changed });
    const everybody = { ...NOTHING, group: "everybody", max_runs: 3 };
    expect((await ask("GET", "admin/policies")).body).toEqual([everybody, changed]);
    await set(name, NOTHING);
    expect((await ask("GET", "admin/policies")).body).toEqual([everybody]);
  });

  test("names the fault", async () => {
    expect(await set("nobodies", {})).toMatchObject({
      status: 404,
      body: { message: 'There is no group nobodies. Name a group, or "everybody" for all users.' },
    });
    expect(await set("everybody", { images: ["a b"] })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('"a b" is no pattern of images') },
    });
    expect((await set("everybody", { max_runs: -1 })).status).toBe(400);
    expect((await ask("POST", "groups", A, { name: "everybody" })).status).toBe(400);
  });

  test("alone maintains the members of a group with a policy", async () => {
    const [ada, bob] = [await api.makeUser(), await api.makeUser()];
    const name = await groupOf(ada, NOTHING);
    const member = `groups/${name}/members/${bob.email}`;
    expect((await ask("PUT", member, T(ada))).status).toBe(200);
    await set(name, { cpu_ms: 5000 });
    const refused = {
      status: 403,
      body: {
        message: `The group ${name} could not be changed: it has a policy, so only the administrator maintains it.`,
      },
    };
    expect(await ask("PUT", `groups/${name}/members/${bob.email}`, T(ada))).toMatchObject(refused);
    expect(await ask("DELETE", member, T(bob))).toMatchObject(refused);
    expect(await ask("DELETE", `groups/${name}`, T(ada))).toMatchObject(refused);
    expect((await ask("DELETE", member)).status).toBe(200);
    expect((await ask("DELETE", `groups/${name}`)).status).toBe(200);
    expect((await ask("GET", "admin/policies")).body).toEqual([]);
  });
});

describe("the policies of a user", () => {
  test("is the own quota, else the most generous of the groups, else the policy for everybody", async () => {
    const user = await api.makeUser();
    expect(await cpuLimitOf(user)).toBe(null);
    await set("everybody", { cpu_ms: 1000 });
    expect(await cpuLimitOf(user)).toBe(1000);
    await groupOf(user, { cpu_ms: 2000 });
    const large = await groupOf(user, { cpu_ms: 3000 });
    expect(await cpuLimitOf(user)).toBe(3000);
    await set(large, { cpu_ms: 0 });
    expect(await cpuLimitOf(user)).toBe(null);
    await putLimit(db, user.id, "cpu", 500);
    expect(await cpuLimitOf(user)).toBe(500);
    expect(await cpuLimitOf(await api.makeUser())).toBe(1000);
  });

  test("limits the wall clock of a user's runs in the same order", async () => {
    const user = await api.makeUser();
    const wallLimitOf = async () => (await limitsOf(db, user.id, { wallMs: 9000 })).wallMs;
    expect(await wallLimitOf()).toBe(9000);
    await set("everybody", { wall_ms: 1000 });
    expect(await wallLimitOf()).toBe(1000);
    await groupOf(user, { wall_ms: 2000 });
    expect(await wallLimitOf()).toBe(2000);
    await putLimit(db, user.id, "wall", 500);
    expect(await wallLimitOf()).toBe(500);
  });

  test("refuses a start when the quota of a policy is used up", async () => {
    const user = await api.makeUser();
    const run = await createRun(api, user, "first", serial(["true"]));
    await changeStatus(api, user, run.id, "start");
    await untilStatus(api, user, run.id, "running");
    plain.end((await jobsOfRun(db, run.id))[0]!.id, { usage: { cpuMs: 9000 } });
    await untilStatus(api, user, run.id, "finished");
    await set("everybody", { cpu_ms: 5000 });
    expect(await ask("POST", "workflows", T(user), serial(["true"]))).toMatchObject({
      status: 403,
      body: { code: "quota-exceeded" },
    });
  });
});

test("runs at once: the next one waits, says why, and starts after one has ended", async () => {
  const user = await api.makeUser();
  await groupOf(user, { max_runs: 1 });
  const [first, second] = [await createRun(api, user, "one"), await createRun(api, user, "two")];
  await changeStatus(api, user, first.id, "start");
  await untilStatus(api, user, first.id, "running");
  await changeStatus(api, user, second.id, "start");
  const waitingFor = async () =>
    (await ask("GET", `workflows/${second.id}/status`, T(user))).body.waiting_for;
  await expect
    .poll(waitingFor)
    .toBe("Queued: this server's policy allows you 1 active run. The next one starts when one has ended.");
  expect(await statusOf(api, user, second.id)).toBe("queued");
  plain.end((await jobsOfRun(db, first.id))[0]!.id);
  await untilStatus(api, user, second.id, "running");
  plain.end((await jobsOfRun(db, second.id))[0]!.id);
  await untilStatus(api, user, second.id, "finished");
});

describe("images", () => {
  const withImage = (environment: string) => ({
    inputs: {},
    workflow: { type: "serial", specification: { steps: [{ environment, commands: ["true"] }] } },
  });
  const refusalOf = async (user: FixtureUser, image: string) => {
    const run = await createRun(api, user, "image", withImage(image));
    const reply = await changeStatus(api, user, run.id, "start");
    return reply.statusCode === 200
      ? undefined
      : [reply.statusCode, reply.json<{ message: string }>().message];
  };

  test("are refused at the start unless one of the user's policies allows them", async () => {
    const user = await api.makeUser();
    await set("everybody", { images: ["python"] });
    await groupOf(user, { images: ["rootproject/*"] });
    await groupOf(user, { cpu_ms: 1_000_000 });
    expect(await refusalOf(user, "python:3.12")).toBe(undefined);
    expect(await refusalOf(user, "rootproject/root:6.32")).toBe(undefined);
    expect(await refusalOf(user, "other:1")).toEqual([
      400,
      "Image not allowed: other:1. The policy of this server for you allows: python, rootproject/*.",
    ]);
    expect((await refusalOf(await api.makeUser(), "rootproject/root:6.32"))![0]).toBe(400);
  });

  test("are refused to the jobs of a run that was queued before the policy", async () => {
    const user = await api.makeUser();
    await groupOf(user, { max_runs: 1 });
    const [first, second] = [
      await createRun(api, user, "first"),
      await createRun(api, user, "second", withImage("other:1")),
    ];
    await changeStatus(api, user, first.id, "start");
    await untilStatus(api, user, first.id, "running");
    await changeStatus(api, user, second.id, "start");
    await set("everybody", { images: ["python"] });
    plain.end((await jobsOfRun(db, first.id))[0]!.id);
    await untilStatus(api, user, second.id, "failed");
    const { body } = await ask("GET", `workflows/${second.id}/failure`, T(user));
    expect(JSON.stringify(body)).toContain("Image not allowed: other:1.");
  });
});
