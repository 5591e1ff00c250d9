import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "#operations/users/tokens";
import { apiFixture } from "../../support/api-fixture.ts";
import { createRun } from "../../support/run-rows.ts";

/** The sign-in of REANA's web page: its refusals, and the rights of its cookie. */
const api = await apiFixture({ config: { host: "0.0.0.0", reanaUi: true } });
const off = await apiFixture({ config: { host: "0.0.0.0" } });
afterAll(() => Promise.all([api.close(), off.close()]));
const ada = await api.makeUser("ada@example.org");
const bob = await api.makeUser("bob@example.org");

const disabled = await api.makeDisabledUser();

const TLS: Readonly<Record<string, string>> = {
  host: "reprise.example.org",
  "sec-fetch-site": "same-origin",
  "x-forwarded-proto": "https",
};
const PLAIN = { host: "reprise.example.org", "sec-fetch-site": "same-origin" };

const logIn = (payload: object, headers = TLS, server = api) =>
  server.inject({ method: "POST", url: "/api/login", headers, payload });

async function newCookie(token: string, email = ada.email): Promise<string> {
  const reply = await logIn({ email, password: token });
  expect(reply.statusCode).toBe(200);
  return String(reply.headers["set-cookie"]).split(";", 1)[0]!;
}

const RIGHT = { email: ada.email, password: ada.token };
const MISMATCH = "do not match";

describe("is refused", () => {
  test.each<[string, object, Readonly<Record<string, string>>, number, string]>([
    ["a wrong password", { ...RIGHT, password: "no" }, TLS, 403, MISMATCH],
    ["a token of another user", { ...RIGHT, password: bob.token }, TLS, 403, MISMATCH],
    ["an unknown address", { ...RIGHT, email: "nobody@example.org" }, TLS, 403, MISMATCH],
    ["the token of a disabled user", { email: disabled.email, password: disabled.token }, TLS, 403, MISMATCH],
    ["another field", { ...RIGHT, remember: true }, TLS, 400, "remember"],
    ["plain HTTP", RIGHT, PLAIN, 403, "only over HTTPS"],
    [
      "localhost, whose cookies go to every port",
      RIGHT,
      { ...TLS, host: "localhost" },
      403,
      "only over HTTPS",
    ],
    ["127.0.0.1", RIGHT, { ...TLS, host: "127.0.0.1:7070" }, 403, "only over HTTPS"],
    ["[::1]", RIGHT, { ...TLS, host: "[::1]:7070" }, 403, "only over HTTPS"],
    ["a name below localhost", RIGHT, { ...TLS, host: "a.LOCALHOST:7070" }, 403, "only over HTTPS"],
    ["another site", RIGHT, { ...TLS, "sec-fetch-site": "cross-site" }, 403, "from elsewhere"],
    ["another port", RIGHT, { ...TLS, "sec-fetch-site": "same-site" }, 403, "from elsewhere"],
    ["a body that is too long", { ...RIGHT, email: "a".repeat(1024 * 1024) }, TLS, 413, "The body is longer"],
  ])("%s", async (_name, payload, headers, status, message) => {
    const reply = await logIn(payload, headers);
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
    expect(reply.headers["set-cookie"]).toBeUndefined();
  });

  test("a multipart body", async () => {
    const headers = { ...TLS, "content-type": "multipart/form-data; boundary=x" };
    const reply = await api.inject({ method: "POST", url: "/api/login", headers, payload: "--x--" });
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      415,
      "The body is multipart, but JSON is expected here.",
    ]);
  });

  test("everything, while the setting is off", async () => {
    const user = await off.makeUser();
    const reply = await logIn({ email: user.email, password: user.token }, TLS, off);
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      403,
      expect.stringContaining("--reana-ui"),
    ]);
    expect((await off.inject("/api/config")).json()).toMatchObject({ local_users: false });
  });
});

describe("the cookie", () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = await newCookie(ada.token);
  });
  const read = async (headers: Readonly<Record<string, string>>, server = api) =>
    (await server.inject({ url: "/api/workflows", headers: { cookie, ...headers } })).statusCode;

  test("goes to no script, other site or plain port, and lasts a day", async () => {
    const reply = await logIn(
      { ...RIGHT, email: "ADA@example.org" },
      { ...TLS, host: "reprise.example.org:8443" },
    );
    expect(reply.headers["set-cookie"]).toMatch(
      /^__Secure-reprise-reana-8443=[\w-]{43}; Path=\/api; Max-Age=86400; HttpOnly; SameSite=Strict; Secure$/,
    );
  });

  test("opens nothing over plain HTTP, on another port, for another page or as a token", async () => {
    const secret = cookie.split("=")[1]!;
    expect(await read(TLS)).toBe(200);
    expect(await read(PLAIN)).toBe(401);
    expect(await read({ ...TLS, host: "localhost" })).toBe(401);
    expect(await read({ ...TLS, host: "reprise.example.org:8443" })).toBe(401);
    expect(await read({ ...TLS, "sec-fetch-site": "same-site" })).toBe(403);
    expect(await read({ ...TLS, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await read({ ...TLS, cookie: `reprise-session=${secret}` })).toBe(401);
    expect(await read({ ...TLS, cookie: `reprise-session=${secret}`, "reprise-page-key": secret })).toBe(401);
    expect(await read({ ...TLS, cookie: "", authorization: `Bearer ${secret}` })).toBe(404);
  });

  test("opens nothing once the setting is off", async () => {
    const on = await apiFixture({ config: { host: "0.0.0.0" }, operations: api.operations });
    expect(await read(TLS, on)).toBe(401);
    await on.close();
  });

  test("is kept in no form that would open the session, and is in no log", async () => {
    const rows = await api.operations.db.selectFrom("tokens").selectAll().execute();
    const secret = cookie.split("=")[1]!;
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(api.logged.join("")).not.toContain(secret);
    expect(api.logged.join("")).not.toContain(ada.token);
  });

  test.each([
    ["issues a token", "POST", "/api/tokens", { name: "x" }],
    ["issues a code", "POST", "/api/session/codes", undefined],
    ["adds a secret", "POST", "/api/secrets", { NAME: { type: "env", value: "eA==" } }],
    ["uses the rights of an administrator", "GET", "/api/admin/users", undefined],
  ] as const)("never %s", async (_what, method, url, payload) => {
    const admins = await newCookie(api.adminToken, api.admin.email);
    const headers = { ...TLS, cookie: admins };
    const reply = await api.inject({ method, url, headers, ...(payload && { payload }) });
    expect([reply.statusCode, reply.json()]).toMatchObject([403, { code: "token-scope" }]);
  });

  test("reads only, if the token does", async () => {
    const limits = { scope: "read" } as const;
    const { token } = await issueToken(api.operations, { user: ada.id, revokeOthers: false, limits });
    const headers = { ...TLS, cookie: await newCookie(token) };
    const { id } = await createRun(api, ada, "kept");
    const url = `/api/workflows/${id}/status?status=deleted`;
    expect((await api.inject({ method: "PUT", url, headers })).statusCode).toBe(403);
    expect((await api.inject({ method: "POST", url: "/api/logout", headers })).statusCode).toBe(200);
  });

  test("ends with the sign-out, and when its session is revoked from the list of the account", async () => {
    const headers = { ...TLS, cookie: await newCookie(ada.token) };
    const out = await api.inject({ method: "POST", url: "/api/logout", headers });
    expect(out.headers["set-cookie"]).toMatch(/^__Secure-reprise-reana=; Path=\/api; Max-Age=0;.*; Secure$/);
    expect(await read(headers)).toBe(401);
    const T = { authorization: `Bearer ${ada.token}` };
    const listed = (await api.inject({ url: "/api/tokens", headers: T })).json<
      { id: string; kind: string }[]
    >();
    const sessions = listed.filter(({ kind }) => kind === "session");
    expect(sessions).not.toHaveLength(0);
    for (const { id } of sessions)
      await api.inject({ method: "DELETE", url: `/api/tokens/${id}`, headers: T });
    expect(await read(TLS)).toBe(401);
  });
});
