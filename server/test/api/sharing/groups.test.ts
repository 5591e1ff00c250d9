import { afterAll, describe, expect, test } from "vitest";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { follow } from "../../support/follower.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const api = await apiFixture();
const base = await api.listen();
afterAll(() => api.close());
const [ada, bob, eve] = [
  await api.makeUser("ada@example.org"),
  await api.makeUser("bob@example.org"),
  await api.makeUser("eve@example.org"),
];

async function ask(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  by: { token: string },
  body?: object,
) {
  const url = `/api/${path}${path.includes("?") ? "&" : "?"}access_token=${by.token}`;
  const reply = await api.inject({ method, url, ...(body && { payload: body }) });
  return { status: reply.statusCode, body: reply.json<Record<string, unknown>>() };
}

async function makeGroup(
  name: string,
  owner: FixtureUser,
  ...members: readonly FixtureUser[]
): Promise<void> {
  expect((await ask("POST", "groups", owner, { name })).status).toBe(201);
  for (const { email } of members)
    expect((await ask("PUT", `groups/${name}/members/${email}`, owner)).status).toBe(200);
}

async function sharedRun(name: string, owner: FixtureUser, group: string, specification?: object) {
  const run = await createRun(api, owner, name, specification);
  const body = { user_email_to_share_with: `group:${group}` };
  expect((await ask("POST", `workflows/${run.id}/share`, owner, body)).status).toBe(200);
  return run;
}

const statusFor = async (user: FixtureUser, run: string) =>
  (await ask("GET", `workflows/${run}/status`, user)).status;

async function listed(user: FixtureUser, query: string): Promise<string[]> {
  const { body } = await ask("GET", `workflows?${query}`, user);
  return (body["items"] as { name: string }[]).map(({ name }) => name);
}

describe("a group", async () => {
  const url = (path: string, user: FixtureUser = ada) => `/api/groups${path}?${T(user)}`;
  const post = { method: "POST" as const, url: url("") };
  const taken = "The group physics could not be made: there is one of this name.";
  const notOwner =
    "The group physics could not be changed: only its owner, its maintainers and the administrator maintain it.";
  const absent = "There is no group none, or you are not in it.";
  const record = { name: "physics", owner_email: ada.email, created: expect.stringMatching(/Z$/) };
  await runScenarios(api, [
    { name: "without a body", ...post, status: 400 },
    { name: "without a name", ...post, body: {}, status: 400 },
    ...["", "a b", "a/b", "-a", "x".repeat(65), "é"].map((name) => ({
      name: `named ${JSON.stringify(name.slice(0, 9))}`,
      ...post,
      body: { name },
      status: 400,
      reply: `The group ${name} could not be made: a name has letters, digits, ".", "_" and "-", at most 64.`,
    })),
    {
      name: "is made",
      ...post,
      body: { name: "physics" },
      status: 201,
      reply: { message: "The group physics was made. Share with it as group:physics." },
    },
    { name: "of a name that is taken", ...post, body: { name: "physics" }, status: 409, reply: taken },
    { name: "that does not exist", url: url("/none"), status: 404, reply: absent },
    {
      name: "that does not exist, to delete",
      method: "DELETE",
      url: url("/none"),
      status: 404,
      reply: absent,
    },
    {
      name: "with a member who does not exist",
      method: "PUT",
      url: url("/physics/members/no%40example.org"),
      status: 404,
      reply: "User with e-mail no@example.org does not exist.",
    },
    {
      name: "is not changed by a user who is not its owner",
      method: "PUT",
      url: url("/physics/members/bob%40example.org", bob),
      status: 403,
      reply: notOwner,
    },
    {
      name: "gets a member",
      method: "PUT",
      url: url("/physics/members/bob%40example.org"),
      status: 200,
      reply: { message: "bob@example.org is a member of the group physics." },
    },
    {
      name: "gets the same member again",
      method: "PUT",
      url: url(`/physics/members/${bob.id}`),
      status: 200,
    },
    {
      name: "is not deleted by a member",
      method: "DELETE",
      url: url("/physics", bob),
      status: 403,
      reply: notOwner,
    },
    { name: "is shown to nobody else", url: url("/physics", eve), status: 404 },
    {
      name: "is shown to a member",
      url: url("/physics", bob),
      status: 200,
      reply: {
        ...record,
        member_count: 2,
        members: [
          { email: ada.email, role: "maintainer", added: expect.any(String) },
          { email: bob.email, role: "member", added: expect.any(String) },
        ],
      },
    },
    { name: "is listed", url: url("", bob), status: 200, reply: [{ ...record, member_count: 2 }] },
    { name: "is listed for nobody else", url: url("", eve), status: 200, reply: [] },
    {
      name: "is listed for the administrator",
      url: `/api/groups?access_token=${api.adminToken}`,
      status: 200,
      reply: [{ ...record, member_count: 2 }],
    },
    {
      name: "is maintained by the administrator",
      method: "PUT",
      url: `/api/groups/physics/members/${eve.id}?access_token=${api.adminToken}`,
      status: 200,
    },
    {
      name: "is left by a member",
      method: "DELETE",
      url: url(`/physics/members/${eve.id}`, eve),
      status: 200,
      reply: { message: "eve@example.org is no longer a member of the group physics." },
    },
    {
      name: "is left once",
      method: "DELETE",
      url: url(`/physics/members/${eve.id}`, eve),
      status: 404,
      reply: "eve@example.org is no member of the group physics.",
    },
    {
      name: "is deleted",
      method: "DELETE",
      url: url("/physics"),
      status: 200,
      reply: { message: "The group physics was deleted." },
    },
    { name: "is gone", url: url("", bob), status: 200, reply: [] },
  ]);
});

describe("a run that is shared with a group", () => {
  test("is read by its members, and by nobody else", async () => {
    await makeGroup("readers", ada, bob);
    const run = await sharedRun("grouped", ada, "readers");
    expect(await statusFor(bob, run.id)).toBe(200);
    expect(await statusFor(bob, "grouped")).toBe(200);
    expect(await statusFor(eve, run.id)).toBe(403);
    expect(await ask("GET", `workflows/${run.id}/share-status`, ada)).toMatchObject({
      body: { shared_with: [{ user_email: "group:readers", valid_until: null }] },
    });
    expect((await ask("GET", "users/you-shared-with", ada)).body).toEqual({
      users_you_shared_with: [{ email: "group:readers" }],
    });
    expect((await ask("GET", "users/shared-with-you", bob)).body).toEqual({
      users_shared_with_you: [{ email: ada.email }],
    });
    expect((await ask("GET", "users/shared-with-you", ada)).body).toEqual({ users_shared_with_you: [] });
    expect(await listed(ada, "shared_with=group:readers&size=9")).toEqual(["grouped.1"]);
    const again = { user_email_to_share_with: "group:readers" };
    expect((await ask("POST", `workflows/${run.id}/share`, ada, again)).body["message"]).toBe(
      "grouped.1 is already shared with group:readers.",
    );
  });

  test("is listed once, however it is shared, and once for an owner who is in the group", async () => {
    const [owner, reader] = [await api.makeUser(), await api.makeUser()];
    await makeGroup("one", owner, reader);
    await makeGroup("two", owner, reader);
    const run = await sharedRun("twice", owner, "one");
    for (const grantee of ["group:two", reader.email]) {
      const body = { user_email_to_share_with: grantee };
      expect((await ask("POST", `workflows/${run.id}/share`, owner, body)).status).toBe(200);
    }
    for (const query of ["shared=true&size=9", "shared=true", "shared_by=anybody&size=9"])
      expect(await listed(reader, query)).toEqual(["twice.1"]);
    expect((await ask("GET", "workflows?shared=true&size=9", reader)).body["total"]).toBe(1);
    expect(await listed(owner, "shared=true&size=9")).toEqual(["twice.1"]);
    expect(await listed(owner, "shared_by=anybody&size=9")).toEqual([]);
    expect((await ask("GET", "workflows?shared=true&size=9", owner)).body).toMatchObject({
      total: 1,
      items: [{ shared_with: expect.arrayContaining(["group:one", "group:two", reader.email]) }],
    });
    const unshare = { user_email_to_unshare_with: "group:one" };
    await ask("POST", `workflows/${run.id}/unshare`, owner, unshare);
    expect(await statusFor(reader, run.id)).toBe(200);
  });

  test.each(["removed", "deleted"])(
    "is closed to a member, with open streams, when the group is %s",
    async (end) => {
      const [owner, member, other] = [await api.makeUser(), await api.makeUser(), await api.makeUser()];
      await makeGroup(`to-be-${end}`, owner, member, other);
      const run = await sharedRun("live", owner, `to-be-${end}`, serial(["sleep"]));
      const index = api.backend.started.length;
      await changeStatus(api, owner, run.id, "start");
      await api.backend.startedJob(index);
      await untilStatus(api, owner, run.id, "running");
      const open = (user: FixtureUser) => follow(`${base}/api/workflows/${run.id}/events?${T(user)}`);
      const [stream, stays] = [await open(member), await open(other)];
      const path = end === "removed" ? `groups/to-be-removed/members/${member.id}` : "groups/to-be-deleted";
      expect((await ask("DELETE", path, owner)).status).toBe(200);
      expect(await statusFor(member, run.id)).toBe(403);
      expect(await stream.ended).toBe("broken");
      if (end === "deleted") expect(await stays.ended).toBe("broken");
      else expect(await statusFor(other, run.id)).toBe(200);
      stays.leave();
    },
  );
});
