import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiFixture, type FixtureUser } from "../../support/api-fixture.ts";
import { type BrowserSession, newBrowserSession, OWN_PAGE, signed } from "../../support/browser-session.ts";
import { createRun } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/** Signing a browser in, and the rights of its cookie. */
const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser("ada@example.org");
const disabled = await api.makeDisabledUser();

const HOST = "reprise.test:7070";
const T = ({ token }: FixtureUser) => ({ authorization: `Bearer ${token}` });

async function newCode(user: FixtureUser): Promise<string> {
  const reply = await api.inject({ method: "POST", url: "/api/session/codes", headers: T(user) });
  expect(reply.json()).toEqual({
    code: expect.stringMatching(/^[\w-]{43}$/),
    path: `/sign-in#${reply.json<{ code: string }>().code}`,
    expires: expect.stringMatching(/Z$/),
  });
  return reply.json<{ code: string }>().code;
}

const signIn = (payload: object, headers: Record<string, string> = OWN_PAGE) =>
  api.inject({ method: "POST", url: "/api/session", headers, payload });

const newSession = (user: FixtureUser) => newBrowserSession(api, user.token);

const get = async (
  session: BrowserSession,
  headers: Record<string, string> = OWN_PAGE,
  url = "/api/session",
) => (await api.inject({ url, headers: { ...headers, ...session } })).statusCode;

describe("signing in", () => {
  const payload = { code: "none" };
  const body = payload;
  const method = "POST" as const;
  const url = "/api/session";
  const unusable =
    "This sign-in code cannot be used: a code works once, for ten minutes. `reprise login` prints another.";
  const foreign = "Sign in on the page of this server: the request came from elsewhere.";

  describe("is refused", async () => {
    await runScenarios(api, [
      { name: "from no page", method, url, body, status: 403, reply: foreign },
      {
        name: "with a multipart body",
        method,
        url,
        headers: { ...OWN_PAGE, "content-type": "multipart/form-data; boundary=x" },
        body: "--x--",
        status: 415,
        reply: "The body is multipart, but JSON is expected here.",
      },
      {
        name: "with a body that is too long",
        method,
        url,
        headers: { ...OWN_PAGE, "content-type": "application/json" },
        body: `"${"a".repeat(1024 * 1024)}"`,
        status: 413,
        reply: "The body is longer than 1048576 bytes, the maximum for JSON.",
      },
      {
        name: "from another page",
        method,
        url,
        body,
        headers: { ...OWN_PAGE, "sec-fetch-site": "cross-site" },
        status: 403,
        reply: foreign,
      },
      {
        name: "from another port of this machine",
        method,
        url,
        body,
        headers: { host: "localhost:7070", origin: "http://localhost:8888" },
        status: 403,
        reply: foreign,
      },
      { name: "an unknown code", method, url, body, headers: OWN_PAGE, status: 403, reply: unusable },
      { name: "neither code nor token", method, url, body: {}, headers: OWN_PAGE, status: 403 },
      { name: "an unknown token", method, url, body: { token: "no" }, headers: OWN_PAGE, status: 403 },
      {
        name: "the token of a disabled user",
        method,
        url,
        body: { token: disabled.token },
        headers: OWN_PAGE,
        status: 403,
        reply: "This token is not accepted. Check it, or ask the server's administrator for a new one.",
      },
    ]);
  });

  test("a code works once, and sets a cookie that scripts and other sites do not get", async () => {
    const code = await newCode(ada);
    const reply = await signIn({ code });
    expect(reply.json()).toEqual({
      id_: ada.id,
      email: ada.email,
      admin: false,
      server_version: expect.any(String),
      page_key: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(reply.headers["set-cookie"]).toMatch(
      /^reprise-session-7070=[\w-]{43}; Path=\/api; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect((await signIn({ code })).statusCode).toBe(403);
    expect(reply.body).not.toContain(String(reply.headers["set-cookie"]).slice(21, 64));
  });

  test("the cookie is only for TLS if the browser came by TLS", async () => {
    const headers = { host: HOST, "sec-fetch-site": "same-origin", "x-forwarded-proto": "https" };
    const elsewhere = await apiFixture({ config: { host: "0.0.0.0" } });
    const reply = await elsewhere.inject({
      method,
      url,
      headers,
      payload: { token: elsewhere.adminToken },
    });
    expect(reply.headers["set-cookie"]).toMatch(/; Secure$/);
    await elsewhere.close();
  });

  test("of two clients that redeem a code at once, a single client gets a session", async () => {
    const code = await newCode(ada);
    const replies = await Promise.all([signIn({ code }), signIn({ code })]);
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([201, 403]));
  });

  test("an access token works as well, and a page without Sec-Fetch-Site by its origin", async () => {
    const headers = { host: "localhost:7070", origin: "http://localhost:7070" };
    expect((await signIn({ token: ada.token }, headers)).statusCode).toBe(201);
  });

  test("a session that the browser brought is not taken over", async () => {
    const fixed = { cookie: "reprise-session-7070=chosen-by-an-attacker", "reprise-page-key": "chosen" };
    const reply = await signIn({ code: await newCode(ada) }, { ...OWN_PAGE, ...fixed });
    expect(reply.headers["set-cookie"]).not.toContain("chosen-by-an-attacker");
    expect(await get(fixed)).toBe(401);
  });
});

describe("the cookie", () => {
  let session: BrowserSession;
  beforeAll(async () => {
    session = await newSession(ada);
  });
  const change = (headers: Record<string, string>) =>
    api.inject({
      method: "POST",
      url: "/api/tokens",
      headers: { host: "localhost:7070", ...session, ...headers },
      payload: { name: "x" },
    });

  test.each([
    ["its own page", { "sec-fetch-site": "same-origin" }, 200],
    ["a typed address", { "sec-fetch-site": "none" }, 200],
    ["an older browser", {}, 200],
    ["another port of this machine", { "sec-fetch-site": "same-site" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another origin", { origin: "http://localhost:8888" }, 403],
  ] as const)("lets %s read: %j", async (_name, headers, status) => {
    expect(await get(session, { host: "localhost:7070", ...headers })).toBe(status);
  });

  test.each([
    ["its own page", { "sec-fetch-site": "same-origin" }, 201],
    ["its own page, of an older browser", { origin: "http://localhost:7070" }, 201],
    ["a request that does not say where it is from", {}, 403],
    ["a typed address", { "sec-fetch-site": "none" }, 403],
    ["another port of this machine", { "sec-fetch-site": "same-site" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another origin", { origin: "http://localhost:8888" }, 403],
    ["a sandboxed page", { origin: "null" }, 403],
  ] as const)("lets %s change: %j", async (_name, headers, status) => {
    const reply = await change(headers);
    expect(reply.statusCode).toBe(status);
    if (status === 403) expect(reply.json()).toMatchObject({ code: "foreign-page" });
  });

  test("is useless without the name, and is not a token", async () => {
    const secret = session.cookie.split("=")[1]!;
    const named = (cookie: string) => ({ ...session, cookie });
    const noCookie = await api.inject({
      url: "/api/session",
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(noCookie.statusCode).toBe(403);
    expect(await get(named(`reprise-session=${secret}`))).toBe(401);
    expect(await get(named(`reprise-session-7071=${secret}`))).toBe(401);
    expect(await get(named(`reprise-session-7070=${ada.token}`))).toBe(401);
    expect(await get(named(`a=b; ${session.cookie}; c=d`))).toBe(200);
  });

  test("ends when its user signs out, and when its session is revoked elsewhere", async () => {
    const [first, second] = [await newSession(ada), await newSession(ada)];
    const out = await api.inject({
      method: "DELETE",
      url: "/api/session",
      headers: { ...OWN_PAGE, ...first },
    });
    expect(out.headers["set-cookie"]).toMatch(/^reprise-session-7070=; Path=\/api; Max-Age=0;/);
    expect(await get(first)).toBe(401);
    const listed = await api.inject({ url: "/api/tokens", headers: { ...OWN_PAGE, ...second } });
    const current = listed.json<{ id: string; current: boolean }[]>().filter((one) => one.current);
    expect(current).toEqual([
      expect.objectContaining({ kind: "session", name: "A browser", expires: expect.any(String) }),
    ]);
    await api.inject({ method: "DELETE", url: `/api/tokens/${current[0]!.id}`, headers: T(ada) });
    expect(await get(second)).toBe(401);
  });

  test("reports that the user was disabled", async () => {
    const eve = await api.makeUser();
    const eves = await newSession(eve);
    const url = `/api/admin/users/${eve.id}/disable?access_token=${api.adminToken}`;
    await api.inject({ method: "POST", url });
    expect(await get(eves)).toBe(403);
  });

  test("is kept in no form that would open the session", async () => {
    const rows = await api.operations.db.selectFrom("tokens").selectAll().execute();
    for (const secret of [session.cookie.split("=")[1]!, session["reprise-page-key"]]) {
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(api.logged.join("")).not.toContain(secret);
    }
  });
});

describe("the cookie alone", () => {
  let session: BrowserSession;
  let run: string;
  beforeAll(async () => {
    session = await newSession(ada);
    ({ id: run } = await createRun(api, ada, "shown"));
    const url = `/api/workflows/${run}/workspace?file_name=a%20b.txt`;
    await api.inject({ method: "POST", url, headers: T(ada), payload: "content" });
  });

  const calls = [
    ["reads", "GET", "/api/workflows"],
    ["reads who is signed in", "GET", "/api/session"],
    ["signs out", "DELETE", "/api/session"],
    ["issues a code", "POST", "/api/session/codes"],
    ["issues a token", "POST", "/api/tokens"],
    ["lists tokens", "GET", "/api/tokens"],
    ["follows a run", "GET", "/api/workflows/none/events"],
  ] as const;

  test.each(calls)("neither %s, nor with another key", async (_what, method, url) => {
    const ask = async (headers: Record<string, string>) =>
      api.inject({ method, url, headers: { ...OWN_PAGE, origin: "http://localhost:7070", ...headers } });
    const { cookie } = session;
    const alone = await ask({ cookie });
    expect([alone.statusCode, alone.json()]).toMatchObject([401, { code: "page-key-missing" }]);
    const { "reprise-page-key": key } = await newSession(ada);
    for (const wrong of [key, `${session["reprise-page-key"]}x`, session["reprise-page-key"].slice(1)]) {
      expect((await ask({ cookie, "reprise-page-key": wrong })).statusCode).toBe(401);
    }
    expect(await get(session)).toBe(200);
  });

  const file = () => `/api/workflows/${run}/workspace/a%20b.txt`;
  const follow = async (url: string, { method = "GET", cookie = session.cookie } = {}) => {
    const reply = await api.inject({ method: method as "GET", url, headers: { ...OWN_PAGE, cookie } });
    return reply.statusCode;
  };

  test("follows a signed address for a minute, as often as the browser asks", async () => {
    for (const url of [file(), `${file()}?preview=true`]) {
      expect(await follow(signed(url, session))).toBe(200);
      expect(await follow(signed(url, session))).toBe(200);
    }
    expect(await follow(file())).toBe(401);
    expect(await follow(signed(file(), session, api.operations.clock.now() - 1000))).toBe(401);
    expect(await follow(signed(file(), session, api.operations.clock.now() + 100_000))).toBe(401);
  });

  test("follows no other address by the signature", async () => {
    const url = signed(file(), session);
    const others = [
      url.replace("a%20b", "a+b"),
      url.replace("a%20b", "a%20c"),
      url.replace("page_expires=", "preview=true&page_expires="),
      url.replace("?", "?preview=true&"),
      url.replace(/page_expires=(\d+)/, (_, at) => `page_expires=${Number(at) + 5}`),
      `${url}&preview=true`,
      url.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      url.replace(/&page_signature.*/, ""),
      url.replace(/page_signature=.*/, "page_signature="),
    ];
    for (const other of others) expect([other, await follow(other)]).toEqual([other, 401]);
    for (const method of ["HEAD", "DELETE"]) expect(await follow(url, { method })).toBe(401);
    // With the key of one session and the cookie of another.
    expect(await follow(url, { cookie: (await newSession(ada)).cookie })).toBe(401);
    expect((await api.inject({ url, headers: OWN_PAGE })).statusCode).toBe(401);
    expect(await follow(url)).toBe(200);
  });

  test("follows no signed address of an endpoint that shows no file or log", async () => {
    for (const url of ["/api/tokens", "/api/session", "/api/secrets", `/api/workflows/${run}/status`])
      expect([url, await follow(signed(url, session))]).toEqual([url, 401]);
  });

  test("follows no signed address once its user has signed out, and none is logged", async () => {
    const own = await newSession(ada);
    const url = signed(file(), own);
    expect(await follow(url, own)).toBe(200);
    await api.inject({ method: "DELETE", url: "/api/session", headers: { ...OWN_PAGE, ...own } });
    expect(await follow(url, own)).toBe(401);
    expect(api.logged.join("")).not.toContain(url.slice(-64));
  });
});

describe("tokens of one's own", () => {
  test("are named, shown once, and revoked singly", async () => {
    const bob = await api.makeUser();
    const issued = await api.inject({
      method: "POST",
      url: "/api/tokens",
      headers: T(bob),
      payload: { name: "notebook" },
    });
    const { id, token } = issued.json<{ id: string; token: string }>();
    const list = async () => (await api.inject({ url: "/api/tokens", headers: T(bob) })).json<object[]>();
    expect(await list()).toMatchObject([
      { kind: "token", name: null, current: true },
      { id, kind: "token", name: "notebook", current: false, expires: null },
    ]);
    expect(JSON.stringify(await list())).not.toContain(token);
    const status = async () =>
      (await api.inject({ url: "/api/you", headers: { authorization: `Bearer ${token}` } })).statusCode;
    expect(await status()).toBe(200);
    // Another user cannot revoke the session.
    const foreign = await api.inject({ method: "DELETE", url: `/api/tokens/${id}`, headers: T(ada) });
    expect(foreign.statusCode).toBe(404);
    await api.inject({ method: "DELETE", url: `/api/tokens/${id}`, headers: T(bob) });
    expect(await status()).toBe(403);
    expect(await list()).toHaveLength(1);
  });
});
