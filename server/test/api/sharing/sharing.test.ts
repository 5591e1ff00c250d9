import { afterAll, describe, expect, test } from "vitest";
import { toWireTime } from "#plumbing/clock";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { follow } from "../../support/follower.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { changeStatus, createRun, refusalRows, serial, T, untilStatus } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const DAY_MS = 86_400_000;
const clock = movableClock();
// The beginning of a day, so no day or minute ends between a request and the check of its result.
clock.pass(DAY_MS - (clock.now() % DAY_MS));
const api = await apiFixture({ parts: { clock } });
const base = await api.listen();
afterAll(() => api.close());
const ada = await api.makeUser("ada@example.org");
const bob = await api.makeUser("bob@example.org");
const fit = await createRun(api, ada, "fit");

/** A day such as `2026-11-23`, counted from today. */
const day = (days: number) => toWireTime(clock.now() + days * DAY_MS).slice(0, 10);

function share(run: string, by: FixtureUser, body: object) {
  return api.inject({ method: "POST", url: `/api/workflows/${run}/share?${T(by)}`, payload: body });
}

function unshare(run: string, by: FixtureUser, email: string) {
  const query = `user_email_to_unshare_with=${encodeURIComponent(email)}&${T(by)}`;
  return api.inject({ method: "POST", url: `/api/workflows/${run}/unshare?${query}` });
}

async function shared(name: string, by: FixtureUser, to: FixtureUser, validUntil?: string) {
  const run = await createRun(api, by, name);
  const reply = await share(run.id, by, {
    user_email_to_share_with: to.email,
    ...(validUntil !== undefined && { valid_until: validUntil }),
  });
  expect(reply.statusCode).toBe(200);
  return run;
}

async function statusFor(user: FixtureUser, run: string): Promise<number> {
  return (await api.inject({ url: `/api/workflows/${run}/status?${T(user)}` })).statusCode;
}

async function listed(user: FixtureUser, query: string): Promise<string[]> {
  const reply = await api.inject({ url: `/api/workflows?${query}&${T(user)}` });
  return reply.json<{ items: { name: string }[] }>().items.map(({ name }) => name);
}

describe("share, share-status and unshare", async () => {
  const at = (what: string) => (address: string) => `/api/workflows/${address}/${what}`;
  const of = (what: string) => `${at(what)(fit.id)}?${T(ada)}`;
  const whom = { user_email_to_share_with: bob.email };
  const named = { workflow_id: fit.id, workflow_name: "fit.1" };
  const post = { method: "POST" as const, url: of("share") };
  const badDate = "Field 'valid_until': Date format is not valid. Please use YYYY-MM-DD format.";
  const withBody = (row: object) => ({ ...row, body: whom });
  await runScenarios(api, [
    ...(await refusalRows(api, "POST", fit, at("share"))).map((row) => withBody(row) as typeof row),
    ...(await refusalRows(api, "POST", fit, at("unshare"))),
    ...(await refusalRows(api, "GET", fit, at("share-status"))),
    { name: "with nobody", ...post, body: {}, status: 400 },
    { name: "without a body", ...post, status: 400 },
    {
      name: "with oneself",
      ...post,
      body: { user_email_to_share_with: "ADA@example.org" },
      status: 400,
      reply: "Unable to share a workflow with yourself.",
    },
    {
      name: "with a user who does not exist",
      ...post,
      body: { user_email_to_share_with: "no@example.org" },
      status: 404,
      reply: "User with email 'no@example.org' does not exist.",
    },
    {
      name: "with a group that does not exist",
      ...post,
      body: { user_email_to_share_with: "group:none" },
      status: 404,
      reply: "There is no group none.",
    },
    {
      name: "until a day that is over",
      ...post,
      body: { ...whom, valid_until: day(-1) },
      status: 400,
      reply: "The 'valid_until' date cannot be in the past.",
    },
    ...["tomorrow", "2099-02-30", "2099-13-01", "2099-1-1", "20990101", "2099-01-01T00:00:00"].map(
      (valid_until) => ({
        name: `until ${valid_until}`,
        ...post,
        body: { ...whom, valid_until },
        status: 400,
        reply: badDate,
      }),
    ),
    { name: "with too many words", ...post, body: { ...whom, message: "x".repeat(5001) }, status: 400 },
    {
      name: "status before",
      url: of("share-status"),
      status: 200,
      reply: { ...named, shared_with: [] },
    },
    {
      name: "unshare before",
      method: "POST",
      url: `${of("unshare")}&user_email_to_unshare_with=${bob.email}`,
      status: 409,
      reply: "fit.1 is not shared with bob@example.org.",
    },
    { name: "unshare with nobody", method: "POST", url: of("unshare"), status: 400 },
    {
      name: "share",
      ...post,
      body: { ...whom, message: "Please look.", valid_until: "2099-12-31" },
      status: 200,
      reply: { message: "The workflow has been shared with the user.", ...named },
    },
    {
      name: "again",
      ...post,
      body: whom,
      status: 409,
      reply: "fit.1 is already shared with bob@example.org.",
    },
    {
      name: "status",
      url: of("share-status"),
      status: 200,
      reply: { ...named, shared_with: [{ user_email: bob.email, valid_until: "2099-12-31T23:59:59" }] },
    },
    {
      name: "status, for the reader",
      url: `${at("share-status")("fit")}?${T(bob)}`,
      status: 403,
      reply: "Workflow fit.1 is shared with you to read: only its owner can change it.",
      code: "shared-to-read",
    },
    {
      name: "the readers of the owner",
      url: `/api/users/you-shared-with?${T(ada)}`,
      status: 200,
      reply: { users_you_shared_with: [{ email: bob.email }] },
    },
    {
      name: "the owners of the reader",
      url: `/api/users/shared-with-you?${T(bob)}`,
      status: 200,
      reply: { users_shared_with_you: [{ email: ada.email }] },
    },
    {
      name: "unshare, with the user in the body",
      method: "POST",
      url: of("unshare"),
      body: { user_email_to_unshare_with: bob.email },
      status: 200,
      reply: { message: "The workflow has been unshared with the user.", ...named },
    },
    {
      name: "the readers afterwards",
      url: `/api/users/you-shared-with?${T(ada)}`,
      status: 200,
      reply: { users_you_shared_with: [] },
    },
    {
      name: "the owners afterwards",
      url: `/api/users/shared-with-you?${T(bob)}`,
      status: 200,
      reply: { users_shared_with_you: [] },
    },
  ]);
});

describe("a shared run", async () => {
  const [owner, reader] = [await api.makeUser("owner@example.org"), await api.makeUser("reader@example.org")];
  const own = await createRun(api, reader, "mine");
  const run = await shared("theirs", owner, reader);
  await api.inject({
    method: "POST",
    url: `/api/workflows/${run.id}/workspace?file_name=a.txt&${T(owner)}`,
    payload: "content",
  });

  test.each(["theirs", "theirs.1", run.id])("is found by its reader as %s", async (address) => {
    expect(await statusFor(reader, address)).toBe(200);
  });

  test("hides behind the reader's own run of the same name", async () => {
    const same = await createRun(api, owner, "mine");
    await share(same.id, owner, { user_email_to_share_with: reader.email });
    const reply = await api.inject({ url: `/api/workflows/mine/status?${T(reader)}` });
    expect(reply.json()).toMatchObject({ id: own.id });
    await unshare(same.id, owner, reader.email);
  });

  test("gives files away, and takes no files", async () => {
    const url = `/api/workflows/theirs/workspace/a.txt?${T(reader)}`;
    expect((await api.inject({ url })).body).toBe("content");
    const refused = await api.inject({ method: "DELETE", url });
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      {
        message: "Workflow theirs.1 is shared with you to read: only its owner can change it.",
        code: "shared-to-read",
      },
    ]);
  });

  test("offers the reader no action", async () => {
    const reply = await api.inject({ url: `/api/workflows/theirs/actions?${T(reader)}` });
    const { actions } = reply.json<{ actions: { possible: boolean; reason: string }[] }>();
    expect(actions.map((action) => action.possible)).toEqual([false, false, false, false, false]);
    expect(actions[0]!.reason).toBe(
      "Workflow theirs.1 is shared with you to read: only its owner can change it.",
    );
  });

  test("is in requested lists, with the owner, and with the readers for the owner alone", async () => {
    const items = async (user: FixtureUser, query: string) => {
      const reply = await api.inject({ url: `/api/workflows?${query}&${T(user)}` });
      return reply.json<{ items: object[]; total: number; user_has_workflows: boolean }>();
    };
    expect(await items(reader, "shared=true&size=5")).toMatchObject({
      total: 2,
      items: [
        { name: "theirs.1", owner_email: "owner@example.org", shared_with: [], user: owner.id },
        { name: "mine.1", owner_email: "reader@example.org", shared_with: [] },
      ],
    });
    expect(await items(owner, "size=5&workflow_id_or_name=theirs")).toMatchObject({
      total: 1,
      items: [{ name: "theirs.1", owner_email: "owner@example.org", shared_with: ["reader@example.org"] }],
    });
  });

  test.each([
    ["reader", "size=5", ["mine.1"]],
    ["reader", "shared=false", ["mine.1"]],
    ["reader", "shared=true", ["theirs.1", "mine.1"]],
    ["reader", "shared=true&sort=asc", ["mine.1", "theirs.1"]],
    ["reader", "shared=true&size=1", ["theirs.1"]],
    ["reader", "shared=true&size=1&page=2", ["mine.1"]],
    ["reader", "shared=true&status=created,running&size=5", ["theirs.1", "mine.1"]],
    ["reader", "shared=true&status=running&size=5", []],
    ["reader", 'shared=true&search={"name":["thei"]}&size=5', ["theirs.1"]],
    ["reader", "shared=true&workflow_id_or_name=theirs&size=5", ["theirs.1"]],
    ["reader", `shared=true&workflow_id_or_name=${run.id}&size=5`, ["theirs.1"]],
    ["reader", "shared=true&sort=cpu-desc&size=5", ["theirs.1", "mine.1"]],
    ["reader", "shared_by=anybody&size=5", ["theirs.1"]],
    ["reader", "shared_by=OWNER@example.org", ["theirs.1"]],
    ["reader", "shared_by=ada@example.org&size=5", []],
    ["reader", "shared_by=no@example.org&size=5", []],
    ["reader", "shared_by=no@example.org", []],
    ["reader", "shared_with=anybody&size=5", []],
    ["reader", "shared_with=nobody&size=5", ["mine.1"]],
    ["owner", "shared_with=anybody&size=5", ["theirs.1"]],
    ["owner", "shared_with=reader@example.org&size=5", ["theirs.1"]],
    ["owner", "shared_with=ada@example.org&size=5", []],
    ["owner", "shared_with=no@example.org&size=5", []],
    ["owner", "shared_with=nobody&size=5", ["mine.1"]],
    ["owner", "shared_by=anybody&size=5", []],
  ])("for the %s, %s lists %j", async (who, query, names) => {
    expect(await listed(who === "owner" ? owner : reader, query)).toEqual(names);
  });

  test("stays readable after the deletion, as for the owner", async () => {
    const total = async () =>
      (await api.inject(`/api/workflows?shared=true&size=1&${T(reader)}`)).json<{ total: number }>().total;
    const before = await total();
    const gone = await shared("gone", owner, reader);
    expect(await total()).toBe(before + 1);
    await changeStatus(api, owner, gone.id, "deleted");
    expect(await total()).toBe(before);
    expect(await statusFor(reader, gone.id)).toBe(200);
    expect(await listed(reader, 'shared_by=anybody&search={"name":["gone"]}')).toEqual([]);
  });
});

describe("the end of a share", async () => {
  const reader = await api.makeUser();

  async function startedRun(name: string, validUntil?: string) {
    const run = await createRun(api, ada, name, serial(["sleep"]));
    const index = api.backend.started.length;
    await changeStatus(api, ada, run.id, "start");
    await api.backend.startedJob(index);
    await untilStatus(api, ada, run.id, "running");
    const body = { user_email_to_share_with: reader.email, valid_until: validUntil ?? null };
    expect((await share(run.id, ada, body)).statusCode).toBe(200);
    return run;
  }

  async function openStreams(run: string, user: FixtureUser) {
    const of = (path: string) => `${base}/api/workflows/${run}/${path}${T(user)}`;
    const streams = [await follow(of("events?")), await follow(of("jobs/0.0/log?follow=true&"))];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    return streams;
  }

  test("by its owner hides the run and closes the reader's open streams, and no others", async () => {
    const run = await startedRun("revoked");
    const [streams, own] = [await openStreams(run.id, reader), await openStreams(run.id, ada)];
    expect((await unshare(run.id, ada, reader.email)).statusCode).toBe(200);
    expect(await statusFor(reader, run.id)).toBe(403);
    expect(await statusFor(reader, "revoked")).toBe(404);
    expect(await Promise.all(streams.map((stream) => stream.ended))).toEqual(["broken", "broken"]);
    clock.pass(1000);
    expect(await Promise.race([own[0]!.ended, Promise.resolve("open")])).toBe("open");
    own.forEach((stream) => stream.leave());
  });

  test("by its last day hides the run and closes open streams", async () => {
    const run = await startedRun("expiring", day(1));
    const streams = await openStreams(run.id, reader);
    const midnightMs = (Math.floor(clock.now() / DAY_MS) + 2) * DAY_MS;
    clock.pass(midnightMs - clock.now() - 10_000);
    expect(await statusFor(reader, run.id)).toBe(200);
    clock.pass(10_001);
    expect(await statusFor(reader, run.id)).toBe(403);
    expect(await listed(reader, "shared=true")).toEqual([]);
    expect(await listed(ada, "shared_with=anybody")).not.toContain("expiring.1");
    expect(await Promise.all(streams.map((stream) => stream.ended))).toEqual(["broken", "broken"]);
    const status = await api.inject({ url: `/api/workflows/${run.id}/share-status?${T(ada)}` });
    expect(status.json()).toMatchObject({ shared_with: [] });
    expect((await unshare(run.id, ada, reader.email)).statusCode).toBe(409);
    expect((await share(run.id, ada, { user_email_to_share_with: reader.email })).statusCode).toBe(200);
    expect(await statusFor(reader, run.id)).toBe(200);
  });

  test("today is not over yet", async () => {
    const run = await shared("today", ada, reader, day(0));
    expect(await statusFor(reader, run.id)).toBe(200);
  });
});
