import { afterAll, describe, expect, test } from "vitest";
import { systemRandom } from "#plumbing/ids";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";
import { UNKNOWN_TOKEN } from "../../support/run-rows.ts";

/** Endpoints of Reprise for administrators, used by `reprise user` while a server is running. */
const api = await apiFixture();
afterAll(() => api.close());
const T = `access_token=${api.adminToken}`;
const ada = await api.makeUser("ada@example.org");
const eve = await api.makeUser("eve@example.org");
const nobodysId = systemRandom.uuid();

const refusals = (method: "GET" | "POST", path: string) => [
  { name: "nobody", method, url: path, status: 401, reply: "User not signed in" },
  { name: "a wrong token", method, url: `${path}?access_token=no`, status: 403, reply: UNKNOWN_TOKEN },
  {
    name: "a user",
    method,
    url: `${path}?access_token=${eve.token}`,
    status: 403,
    reply: "Action not permitted.",
  },
];
const absent = (verb: string) => [
  {
    name: "no such id",
    method: "POST" as const,
    url: `/api/admin/users/${nobodysId}/${verb}?${T}`,
    status: 404,
    reply: `User with id ${nobodysId} does not exist.`,
  },
  {
    name: "no such address",
    method: "POST" as const,
    url: `/api/admin/users/x%40y.z/${verb}?${T}`,
    status: 404,
    reply: "User with e-mail x@y.z does not exist.",
  },
];
const account = (user: { id: string; email: string }, rest: object = {}) => ({
  id_: user.id,
  email: user.email,
  admin: false,
  disabled: false,
  waiting: false,
  asking_provider: null,
  created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  ...rest,
});

describe("GET /api/admin/users", async () => {
  await runScenarios(api, [
    ...refusals("GET", "/api/admin/users"),
    {
      name: "all, without tokens",
      url: `/api/admin/users?${T}`,
      status: 200,
      reply: [account(api.admin, { admin: true }), account(ada), account(eve)],
    },
  ]);
});

describe("POST /api/admin/users/{user}/tokens", async () => {
  const path = "/api/admin/users/ada@example.org/tokens";
  const issued = (revoked: number) => ({
    message: "A token was issued to ada@example.org.",
    id_: ada.id,
    email: ada.email,
    token: expect.stringMatching(/^reprise\.[0-9a-f]{8}\.[\w-]{43}$/),
    revoked,
  });
  await runScenarios(
    api,
    [
      ...refusals("POST", path),
      ...absent("tokens"),
      {
        name: "a body of another kind",
        url: `${path}?${T}`,
        body: { revoke_others: "yes" },
        status: 400,
        reply: "Field 'revoke_others': must be boolean.",
      },
      { name: "without a body", url: `${path}?${T}`, status: 201, reply: issued(0) },
      { name: "with an empty body", url: `${path}?${T}`, body: {}, status: 201, reply: issued(0) },
      {
        name: "by id, taking the older ones out of use",
        url: `/api/admin/users/${ada.id}/tokens?${T}`,
        body: { revoke_others: true },
        status: 201,
        reply: issued(3),
      },
    ].map((row) => ({ method: "POST" as const, ...row })),
  );

  test("several open at once, until the older ones are revoked", async () => {
    const user = await api.makeUser();
    const url = `/api/admin/users/${user.id}/tokens?${T}`;
    const second = (await api.inject({ method: "POST", url })).json().token;
    const status = async (token: string) =>
      (await api.inject(`/api/workflows?access_token=${token}`)).statusCode;
    expect([await status(user.token), await status(second)]).toEqual([200, 200]);
    const third = (await api.inject({ method: "POST", url, payload: { revoke_others: true } })).json().token;
    expect([await status(user.token), await status(second), await status(third)]).toEqual([403, 403, 200]);
  });
});

describe("POST /api/admin/users/{user}/disable and /enable", async () => {
  const path = (verb: string) => `/api/admin/users/ada@example.org/${verb}`;
  await runScenarios(
    api,
    [
      ...refusals("POST", path("disable")),
      ...refusals("POST", path("enable")),
      ...absent("disable"),
      ...absent("enable"),
      {
        name: "the administrator cannot be disabled",
        url: `/api/admin/users/${api.admin.id}/disable?${T}`,
        status: 409,
        reply: "User admin@localhost could not be disabled: this server would have no administrator.",
      },
      {
        name: "disable",
        url: `${path("disable")}?${T}`,
        status: 200,
        reply: account(ada, { disabled: true }),
      },
      {
        name: "disable again",
        url: `${path("disable")}?${T}`,
        status: 200,
        reply: account(ada, { disabled: true }),
      },
      { name: "enable", url: `${path("enable")}?${T}`, status: 200, reply: account(ada) },
      { name: "enable again", url: `${path("enable")}?${T}`, status: 200, reply: account(ada) },
    ].map((row) => ({ method: "POST" as const, ...row })),
  );

  test("a disabled user's token opens nothing, and opens again once enabled", async () => {
    const user = await api.makeUser();
    const status = async () => (await api.inject(`/api/workflows?access_token=${user.token}`)).statusCode;
    await api.inject({ method: "POST", url: `/api/admin/users/${user.id}/disable?${T}` });
    expect(await status()).toBe(403);
    await api.inject({ method: "POST", url: `/api/admin/users/${user.id}/enable?${T}` });
    expect(await status()).toBe(200);
  });
});
