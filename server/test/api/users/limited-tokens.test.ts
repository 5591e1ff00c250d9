import { afterAll, describe, expect, test } from "vitest";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { type BrowserSession, sessionIn } from "../../support/browser-session.ts";
import { follow } from "../../support/follower.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { changeStatus, createRun, serial, T, untilStatus } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/** Tokens with a scope and an end, and what is issued with them. `permissions.test.ts` tries each scope on each route. */
const DAY_MS = 86_400_000;
const clock = movableClock();
// The beginning of a day, so no day or minute ends between a request and the check of its result.
clock.pass(DAY_MS - (clock.now() % DAY_MS));
const api = await apiFixture({ parts: { clock } });
const base = await api.listen();
afterAll(() => api.close());
const ada = await api.makeUser("ada@example.org");

const OWN_PAGE = { host: "localhost:7070", "sec-fetch-site": "same-origin" };

interface Issued {
  readonly id: string;
  readonly token: string;
  readonly scope: string;
  readonly expires: string | null;
}

async function issue(by: { token: string }, body: object) {
  const url = `/api/tokens?access_token=${by.token}`;
  return api.inject({ method: "POST", url, payload: { name: "notebook", ...body } });
}

async function limited(body: object, by: { token: string } = ada): Promise<Issued> {
  const reply = await issue(by, body);
  expect(reply.statusCode).toBe(201);
  return reply.json<Issued>();
}

const get = async (token: string, url = "/api/workflows") =>
  (await api.inject(`${url}?access_token=${token}`)).statusCode;

const inDays = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString().slice(0, 16);

describe("a token", async () => {
  const url = `/api/tokens?${T(ada)}`;
  const row = { method: "POST" as const, url, status: 400 };
  await runScenarios(api, [
    { name: "without a body", ...row },
    { name: "without a name", ...row, body: {} },
    { name: "with an unknown scope", ...row, body: { name: "a", scope: "write" } },
    { name: "for no day", ...row, body: { name: "a", expires_in_days: 0 } },
    { name: "for half a day", ...row, body: { name: "a", expires_in_days: 0.5 } },
    { name: "for more than ten years", ...row, body: { name: "a", expires_in_days: 3651 } },
    {
      name: "without limits",
      ...row,
      body: { name: "a" },
      status: 201,
      reply: {
        id: expect.any(String),
        name: "a",
        token: expect.stringMatching(/^reprise\./),
        scope: "everything",
        expires: null,
      },
    },
  ]);

  test("is listed with limits, and explains the limits", async () => {
    const user = await api.makeUser();
    const { token } = await limited({ scope: "read", expires_in_days: 2 }, user);
    const listed = (await api.inject(`/api/tokens?${T(user)}`)).json<Issued[]>();
    expect(listed).toHaveLength(2);
    expect(listed.find(({ scope }) => scope === "everything")).toMatchObject({
      name: null,
      expires: null,
      current: true,
    });
    expect(listed.find(({ scope }) => scope === "read")).toMatchObject({
      name: "notebook",
      expires: expect.stringContaining(inDays(2)),
      current: false,
    });
    const refused = await api.inject({
      method: "POST",
      url: `/api/workflows?access_token=${token}`,
      payload: {},
    });
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      { message: "This token only reads. Use a token with the scope `runs`.", code: "token-scope" },
    ]);
    const manages = await limited({ scope: "runs" }, user);
    expect((await issue(manages, {})).json()).toEqual({
      message:
        "This token manages runs and files, and not the account. Use a token with the scope `everything`.",
      code: "token-scope",
    });
  });

  test("is refused from its end on, with a sentence, and is no longer listed", async () => {
    const user = await api.makeUser();
    const { token } = await limited({ expires_in_days: 1 }, user);
    clock.pass(DAY_MS - 1000);
    expect(await get(token)).toBe(200);
    clock.pass(1000);
    const reply = await api.inject(`/api/workflows?access_token=${token}`);
    expect([reply.statusCode, reply.json()]).toEqual([
      403,
      {
        message: "User access token expired. Issue another one, or ask the server's administrator for it.",
        code: "token-expired",
      },
    ]);
    expect((await api.inject(`/api/tokens?${T(user)}`)).json()).toHaveLength(1);
  });

  test("closes open streams at the end of the token", async () => {
    const user = await api.makeUser();
    const { token } = await limited({ scope: "read", expires_in_days: 1 }, user);
    const run = await createRun(api, user, "long", serial(["sleep"]));
    await changeStatus(api, user, run.id, "start");
    await untilStatus(api, user, run.id, "running");
    const stream = await follow(`${base}/api/workflows/${run.id}/events?access_token=${token}`);
    expect(stream.status).toBe(200);
    clock.pass(DAY_MS);
    expect(await stream.ended).toBe("broken");
  });

  test("of another user is issued with limits by the administrator", async () => {
    const user = await api.makeUser();
    const reply = await api.inject({
      method: "POST",
      url: `/api/admin/users/${user.id}/tokens?access_token=${api.adminToken}`,
      payload: { name: "robot", scope: "runs", expires_in_days: 7 },
    });
    expect(reply.statusCode).toBe(201);
    const listed = (await api.inject(`/api/tokens?${T(user)}`)).json<object[]>();
    expect(listed.at(-1)).toMatchObject({ name: "robot", scope: "runs", expires: expect.any(String) });
  });

  test("that is limited is not shown in the administrator's list as the user's", async () => {
    const user = await api.makeUser("list@example.org");
    await limited({ scope: "read" }, user);
    const shown = async () =>
      (await api.inject(`/api/users?email=${user.email}&access_token=${api.adminToken}`)).json<
        { access_token: string }[]
      >()[0]!.access_token;
    expect(await shown()).toBe(user.token);
    // Both were issued in the same millisecond, so the order of the list is undefined.
    const tokens = (await api.inject(`/api/tokens?${T(user)}`)).json<Issued[]>();
    const unlimited = tokens.find(({ scope }) => scope === "everything");
    await api.inject({ method: "DELETE", url: `/api/tokens/${unlimited?.id}?${T(user)}` });
    expect(await shown()).toBe("");
  });
});

describe("what is issued with an expiring token", () => {
  test("tokens end with the issuing token", async () => {
    const user = await api.makeUser();
    const short = await limited({ expires_in_days: 2 }, user);
    const refused = await issue(short, { expires_in_days: 3 });
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      {
        message:
          "The token could not be issued: it would outlive the one that this request was made with. Choose fewer days.",
        code: "token-limits",
      },
    ]);
    expect((await limited({}, short)).expires).toBe(short.expires);
    expect((await limited({ expires_in_days: 1 }, short)).expires).toContain(inDays(1));
  });

  test.each(["code", "token"] as const)(
    "tokens end with a token: a browser that signs in with a %s",
    async (kind) => {
      const user = await api.makeUser();
      const short = await limited({ expires_in_days: 2 }, user);
      const session = await signedIn(short, kind);
      const listed = await sessionGet(session, "/api/tokens");
      expect(listed.json<object[]>().find((one) => "kind" in one && one.kind === "session")).toMatchObject({
        expires: short.expires,
      });
      // The browser cannot prolong the token either.
      const longer = await api.inject({
        method: "POST",
        url: "/api/tokens",
        headers: { ...OWN_PAGE, ...session },
        payload: { name: "longer", expires_in_days: 30 },
      });
      expect(longer.statusCode).toBe(403);
      clock.pass(2 * DAY_MS);
      expect((await sessionGet(session, "/api/workflows")).statusCode).toBe(401);
    },
  );

  test("keeps the scope: a browser that signs in with a reading token", async () => {
    const session = await signedIn(await limited({ scope: "read" }), "token");
    expect((await sessionGet(session, "/api/workflows")).statusCode).toBe(200);
    const refused = await api.inject({
      method: "POST",
      url: "/api/workflows",
      headers: { ...OWN_PAGE, ...session },
      payload: serial(["true"]),
    });
    expect(refused.statusCode).toBe(403);
  });
});

async function signedIn(user: Pick<FixtureUser, "token">, kind: "code" | "token"): Promise<BrowserSession> {
  const code = async () =>
    (await api.inject({ method: "POST", url: `/api/session/codes?access_token=${user.token}` })).json<{
      code: string;
    }>().code;
  const payload = kind === "code" ? { code: await code() } : { token: user.token };
  const reply = await api.inject({ method: "POST", url: "/api/session", headers: OWN_PAGE, payload });
  expect(reply.statusCode).toBe(201);
  return sessionIn(reply);
}

function sessionGet(session: BrowserSession, url: string) {
  return api.inject({ url, headers: { ...OWN_PAGE, ...session } });
}
