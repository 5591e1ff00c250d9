import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addMember, insertGroup, maybeGroup } from "#store/sharing/groups";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { createRun } from "../../support/run-rows.ts";

/** What each role of a group may do. Each row is tried by a user of each role. */
const api = await apiFixture();
afterAll(() => api.close());

type Role = "stranger" | "viewer" | "member" | "maintainer" | "owner" | "admin";
const ROLES = ["stranger", "viewer", "member", "maintainer", "owner", "admin"] as const;
const people = {} as Record<Role, FixtureUser>;

beforeAll(async () => {
  for (const role of ROLES)
    people[role] = role === "admin" ? { ...api.admin, token: api.adminToken } : await api.makeUser();
});

async function send(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  by: FixtureUser,
  payload?: object,
) {
  const headers = { authorization: `Bearer ${by.token}` };
  const reply = await api.inject({ method, url: `/api/${path}`, headers, ...(payload && { payload }) });
  return { status: reply.statusCode, body: reply.json<Record<string, unknown>>() };
}

let made = 0;

/** Makes a group with a user of each role, and returns its name and another user. */
async function group() {
  const name = `group-${(made += 1)}`;
  expect((await send("POST", "groups", people.owner, { name })).status).toBe(201);
  for (const role of ["viewer", "member", "maintainer"] as const) await put(name, people[role], { role });
  return { name, other: await api.makeUser() };
}

const put = (name: string, user: FixtureUser, payload?: object, by = people.owner) =>
  send("PUT", `groups/${name}/members/${user.id}`, by, payload);

async function rolesOf(name: string): Promise<Record<string, string>> {
  const { body } = await send("GET", `groups/${name}`, people.owner);
  const members = body["members"] as { email: string; role: string }[];
  return Object.fromEntries(members.map(({ email, role }) => [email, role]));
}

interface Row {
  readonly does: string;
  readonly allowed: readonly Role[];
  /** Returns the status of the attempt. */
  readonly attempt: (by: FixtureUser) => Promise<number>;
}

const ROWS: readonly Row[] = [
  {
    does: "reads a run that is shared with the group",
    allowed: ["viewer", "member", "maintainer", "owner"],
    async attempt(by) {
      const { name } = await group();
      const run = await createRun(api, people.owner, `read-${made}`);
      await send("POST", `workflows/${run.id}/share`, people.owner, {
        user_email_to_share_with: `group:${name}`,
      });
      return (await send("GET", `workflows/${run.id}/status`, by)).status;
    },
  },
  {
    does: "sees the users of the group",
    allowed: ["viewer", "member", "maintainer", "owner", "admin"],
    attempt: async (by) => (await send("GET", `groups/${(await group()).name}`, by)).status,
  },
  {
    does: "shares a run with the group",
    allowed: ["member", "maintainer", "owner", "admin"],
    async attempt(by) {
      const { name } = await group();
      const run = await createRun(api, by, `own-${made}`);
      const payload = { user_email_to_share_with: `group:${name}` };
      return (await send("POST", `workflows/${run.id}/share`, by, payload)).status;
    },
  },
  {
    does: "adds a member",
    allowed: ["maintainer", "owner", "admin"],
    async attempt(by) {
      const { name, other } = await group();
      return (await put(name, other, { role: "member" }, by)).status;
    },
  },
  {
    does: "makes a member a viewer",
    allowed: ["maintainer", "owner", "admin"],
    async attempt(by) {
      const { name, other } = await group();
      await put(name, other);
      return (await put(name, other, { role: "viewer" }, by)).status;
    },
  },
  {
    does: "removes a member",
    allowed: ["maintainer", "owner", "admin"],
    async attempt(by) {
      const { name, other } = await group();
      await put(name, other);
      return (await send("DELETE", `groups/${name}/members/${other.id}`, by)).status;
    },
  },
  {
    does: "names a maintainer",
    allowed: ["owner", "admin"],
    async attempt(by) {
      const { name, other } = await group();
      return (await put(name, other, { role: "maintainer" }, by)).status;
    },
  },
  {
    does: "removes another maintainer",
    allowed: ["owner", "admin"],
    async attempt(by) {
      const { name, other } = await group();
      await put(name, other, { role: "maintainer" });
      return (await send("DELETE", `groups/${name}/members/${other.id}`, by)).status;
    },
  },
  {
    does: "makes another maintainer a viewer",
    allowed: ["owner", "admin"],
    async attempt(by) {
      const { name, other } = await group();
      await put(name, other, { role: "maintainer" });
      return (await put(name, other, { role: "viewer" }, by)).status;
    },
  },
  {
    does: "deletes the group",
    allowed: ["owner", "admin"],
    attempt: async (by) => (await send("DELETE", `groups/${(await group()).name}`, by)).status,
  },
];

describe.each(ROWS)("$does", ({ allowed, attempt }) => {
  test.each(ROLES)("%s", async (role) => {
    const status = await attempt(people[role]);
    if (allowed.includes(role)) expect(status).toBe(200);
    else expect([403, 404]).toContain(status);
  });
});

describe("a role", () => {
  test("stays if a user is added again without one, and leaves nothing behind", async () => {
    const { name } = await group();
    expect((await put(name, people.viewer)).body["message"]).toBe(
      `${people.viewer.email} is a viewer of the group ${name}.`,
    );
    expect(await rolesOf(name)).toMatchObject({ [people.owner.email]: "maintainer" });
    expect((await send("DELETE", `groups/${name}/members/${people.viewer.id}`, people.viewer)).status).toBe(
      200,
    );
    expect((await put(name, people.viewer)).body["message"]).toContain("is a member of the group");
  });

  test("is not raised by its user, and an unknown one is refused", async () => {
    const { name } = await group();
    expect((await put(name, people.viewer, { role: "member" }, people.viewer)).status).toBe(403);
    expect((await put(name, people.maintainer, { role: "owner" })).status).toBe(400);
  });

  test("of a user in a provider's group changes, while its members come from the provider alone", async () => {
    const { db, clock } = api.operations;
    const id = "00000000-0000-4000-8000-000000000037";
    await insertGroup(db, { id, name: "cern:atlas", ownerId: people.admin.id, createdAtMs: clock.now() });
    const { id: groupId } = (await maybeGroup(db, "cern:atlas"))!;
    await addMember(db, { groupId, userId: people.member.id, role: "member" }, clock.now());
    expect((await put("cern:atlas", people.member, { role: "maintainer" }, people.admin)).status).toBe(200);
    const refused = await put("cern:atlas", people.viewer, { role: "viewer" }, people.member);
    expect([refused.status, refused.body["message"]]).toEqual([
      403,
      expect.stringContaining("they come from a provider of sign-in"),
    ]);
  });
});
