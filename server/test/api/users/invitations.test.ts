import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";
import { movableClock } from "../../support/fakes/movable-clock.ts";
import { createRun, T } from "../../support/run-rows.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/** A colleague's first sign-in, and what the administrator sees of everybody's runs. */
const DAY_MS = 86_400_000;
const clock = movableClock();
const api = await apiFixture({ parts: { clock } });
afterAll(() => api.close());
const A = `access_token=${api.adminToken}`;
const OWN_PAGE = { host: "localhost:7070", "sec-fetch-site": "same-origin" };

async function invite(email: string): Promise<string> {
  const reply = await api.inject({ method: "POST", url: `/api/admin/invitations?${A}`, payload: { email } });
  expect([reply.statusCode, reply.json()]).toEqual([
    201,
    {
      id_: expect.any(String),
      email,
      code: expect.stringMatching(/^[\w-]{43}$/),
      path: expect.stringMatching(/^\/sign-in#[\w-]{43}$/),
      expires: expect.stringMatching(/Z$/),
    },
  ]);
  return reply.json<{ code: string }>().code;
}

const redeem = (code: string, more: object = {}) =>
  api.inject({ method: "POST", url: "/api/tokens/redeem", payload: { code, name: "laptop", ...more } });

const unusable =
  "This code cannot be used: a code works once, and not for long. Ask the server's administrator for another.";

describe("an invitation", async () => {
  const disabled = await api.makeDisabledUser();
  const post = { method: "POST" as const, url: `/api/admin/invitations?${A}` };
  const redeemed = { method: "POST" as const, url: "/api/tokens/redeem" };
  await runScenarios(api, [
    { name: "of nobody", ...post, status: 400 },
    { name: "of what is no address", ...post, body: { email: "ada" }, status: 400 },
    {
      name: "of a disabled user",
      ...post,
      body: { email: disabled.email },
      status: 409,
      reply: `User ${disabled.email} could not be invited: the user is disabled. Enable it first.`,
    },
    { name: "redeemed without a code", ...redeemed, status: 400 },
    { name: "redeemed without a name", ...redeemed, body: { code: "x" }, status: 400 },
    {
      name: "redeemed with an unknown code",
      ...redeemed,
      body: { code: "x", name: "a" },
      status: 403,
      reply: unusable,
    },
  ]);

  test("makes a user without a token, who gets one for the code, once", async () => {
    const code = await invite("new@example.org");
    const shown = await api.inject(`/api/users?email=new@example.org&${A}`);
    expect(shown.json()).toMatchObject([{ email: "new@example.org", access_token: "" }]);
    const reply = await redeem(code, { scope: "runs", expires_in_days: 30 });
    expect([reply.statusCode, reply.json()]).toMatchObject([
      201,
      {
        name: "laptop",
        token: expect.stringMatching(/^reprise\./),
        scope: "runs",
        expires: expect.any(String),
      },
    ]);
    const { token } = reply.json<{ token: string }>();
    expect((await api.inject(`/api/you?access_token=${token}`)).json()).toMatchObject({
      email: "new@example.org",
    });
    const again = await redeem(code);
    expect([again.statusCode, again.json<{ message: string }>().message]).toEqual([403, unusable]);
  });

  test("signs a browser in instead, and works for a known user", async () => {
    const known = await api.makeUser();
    const code = await invite(known.email);
    const reply = await api.inject({
      method: "POST",
      url: "/api/session",
      headers: OWN_PAGE,
      payload: { code },
    });
    expect([reply.statusCode, reply.json()]).toMatchObject([201, { email: known.email }]);
    expect((await redeem(code)).statusCode).toBe(403);
    expect((await api.inject(`/api/you?${T(known)}`)).statusCode).toBe(200);
  });

  test("is valid for a week", async () => {
    const [early, late] = [await invite("early@example.org"), await invite("late@example.org")];
    clock.pass(7 * DAY_MS - 1000);
    expect((await redeem(early)).statusCode).toBe(201);
    clock.pass(1000);
    expect((await redeem(late)).statusCode).toBe(403);
  });
});

describe("GET /api/admin/runs", async () => {
  const ada = await api.makeUser("ada@example.org");
  const run = await createRun(api, ada, "secret-analysis");
  const url = (query: string) => `/api/admin/runs?${query}&${A}`;
  const item = {
    id: run.id,
    name: "secret-analysis.1",
    owner_email: ada.email,
    status: "created",
    language: "serial",
    created: expect.stringMatching(/Z$/),
    queued: null,
    started: null,
    ended: null,
    jobs: { total: 0, running: 0, finished: 0, failed: 0 },
    cpu_ms: 0,
    host: null,
    waiting_for: null,
  };
  const page = { total: 1, page: 1, has_prev: false, has_next: false, size: 20, from_idx: 0, to_idx: 1 };
  const links = { self: { page: 1 } };
  await runScenarios(api, [
    { name: "of an unknown status", url: url("status=none"), status: 400 },
    { name: "of an unknown user", url: url("user=no%40example.org"), status: 404 },
    { name: "of all", url: url(""), status: 200, reply: { items: [item], ...page, links } },
    { name: "of a user", url: url(`user=${ada.id}`), status: 200, reply: { items: [item], ...page, links } },
    {
      name: "that run",
      url: url("status=running&status=queued"),
      status: 200,
      reply: { items: [], ...page, total: 0, to_idx: 0, links },
    },
  ]);
});
