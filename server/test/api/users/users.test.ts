import { afterAll, describe, expect, test } from "vitest";
import { systemRandom } from "#plumbing/ids";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const api = await apiFixture();
afterAll(() => api.close());
const T = `access_token=${api.adminToken}`;
const ada = await api.makeUser("Ada.Lovelace@example.org");
const revoked = await api.makeRevokedUser();
const disabled = await api.makeDisabledUser();
const nobodysId = systemRandom.uuid();
const adaRecord = { id_: ada.id, email: ada.email, access_token: ada.token };
const adminRecord = { id_: api.admin.id, email: "admin@localhost", access_token: api.adminToken };
const NOT_PERMITTED = "Action not permitted.";

const refusals = (method: "GET" | "POST") => [
  { name: "nobody", method, url: "/api/users?email=a@b.c", status: 403, reply: NOT_PERMITTED },
  { name: "an empty token", method, url: "/api/users?access_token=", status: 403, reply: NOT_PERMITTED },
  { name: "a wrong token", method, url: "/api/users?access_token=no", status: 403, reply: NOT_PERMITTED },
  { name: "a user", method, url: `/api/users?access_token=${ada.token}`, status: 403, reply: NOT_PERMITTED },
  {
    name: "revoked",
    method,
    url: `/api/users?access_token=${revoked.token}`,
    status: 403,
    reply: NOT_PERMITTED,
  },
  {
    name: "disabled",
    method,
    url: `/api/users?access_token=${disabled.token}`,
    status: 403,
    reply: NOT_PERMITTED,
  },
];

describe("GET /api/users", async () => {
  await runScenarios(api, [
    ...refusals("GET"),
    {
      name: "no such id",
      url: `/api/users?id_=${nobodysId}&${T}`,
      status: 404,
      reply: `User with id ${nobodysId} does not exist.`,
    },
    {
      name: "no such address",
      url: `/api/users?email=x@y.z&${T}`,
      status: 404,
      reply: "User with e-mail x@y.z does not exist.",
    },
    {
      name: "no such token, which is not repeated",
      url: `/api/users?user_token=nobodys&${T}`,
      status: 404,
      reply: "User with this token does not exist.",
    },
    {
      name: "criteria that hold each of another user",
      url: `/api/users?id_=${ada.id}&email=admin@localhost&${T}`,
      status: 404,
      reply: `User with id ${ada.id} does not exist.`,
    },
    {
      name: "an id that is no UUID",
      url: `/api/users?id_=1%27--&${T}`,
      status: 403,
      reply: `The id_ "1'--" is not valid: it must be a UUID.`,
    },
    {
      name: "the same criterion twice",
      url: `/api/users?email=a@b.c&email=d@e.f&${T}`,
      status: 403,
      reply: "Field 'email': must be string.",
    },
    { name: "by id", url: `/api/users?id_=${ada.id}&${T}`, status: 200, reply: [adaRecord] },
    { name: "by the other name of id", url: `/api/users?id=${ada.id}&${T}`, status: 200, reply: [adaRecord] },
    {
      name: "by an id in capitals",
      url: `/api/users?id_=${ada.id.toUpperCase()}&${T}`,
      status: 200,
      reply: [adaRecord],
    },
    {
      name: "by address, in other letters",
      url: `/api/users?email=ada.lovelace@EXAMPLE.org&${T}`,
      status: 200,
      reply: [adaRecord],
    },
    { name: "by token", url: `/api/users?user_token=${ada.token}&${T}`, status: 200, reply: [adaRecord] },
    {
      name: "by everything",
      url: `/api/users?id_=${ada.id}&email=${ada.email}&user_token=${ada.token}&${T}`,
      status: 200,
      reply: [adaRecord],
    },
    {
      name: "all; empty criteria are none",
      url: `/api/users?id_=&email=&user_token=&${T}`,
      status: 200,
      reply: [adminRecord, adaRecord, expect.objectContaining({ id_: revoked.id }), expect.anything()],
    },
    {
      name: "with the token in the header",
      url: `/api/users?email=${ada.email}`,
      headers: { authorization: `Bearer ${api.adminToken}` },
      status: 200,
      reply: [adaRecord],
    },
  ]);

  test("a revoked token is not shown again: the first active one is", async () => {
    const [record] = (await api.inject(`/api/users?id_=${revoked.id}&${T}`)).json();
    expect(record.access_token).not.toBe(revoked.token);
    expect((await api.inject(`/api/workflows?access_token=${record.access_token}`)).statusCode).toBe(200);
  });
});

describe("POST /api/users", async () => {
  const created = (email: string, token: unknown) => ({
    message: "User was successfully created.",
    id_: expect.stringMatching(/^[0-9a-f-]{36}$/),
    email,
    access_token: token,
  });
  await runScenarios(
    api,
    [
      ...refusals("POST"),
      {
        name: "without an address",
        url: `/api/users?${T}`,
        status: 403,
        reply: "The user could not be created: the query parameter email is missing.",
      },
      {
        name: "with an empty address",
        url: `/api/users?email=&${T}`,
        status: 403,
        reply: "The user could not be created: the query parameter email is missing.",
      },
      {
        name: "with something that is no address",
        url: `/api/users?email=ada&${T}`,
        status: 403,
        reply: 'The user could not be created: "ada" is not a valid e-mail address.',
      },
      {
        name: "with an address that is taken, in other letters",
        url: `/api/users?email=ADA.LOVELACE@example.org&${T}`,
        status: 403,
        reply:
          "The user could not be created: e-mail ADA.LOVELACE@example.org belongs to another user already.",
      },
      {
        name: "with a token that is taken, which is not repeated",
        url: `/api/users?email=new@example.org&user_token=${ada.token}&${T}`,
        status: 403,
        reply:
          "The user new@example.org could not be created: that user_token is taken. " +
          "Give another, or none to have one made.",
      },
      {
        name: "with a token that was revoked",
        url: `/api/users?email=new@example.org&user_token=${revoked.token}&${T}`,
        status: 403,
      },
      {
        name: "with an address alone: a token of three parts is made",
        url: `/api/users?email=new@example.org&${T}`,
        status: 201,
        reply: created("new@example.org", expect.stringMatching(/^[^.]+\.[^.]+\.[\w-]{43,}$/)),
      },
      {
        name: "with a token of one's own, taken as it is",
        url: `/api/users?email=own@example.org&user_token=%20any%20text%20&${T}`,
        status: 201,
        reply: created("own@example.org", " any text "),
      },
      {
        name: "with an empty token: one is made",
        url: `/api/users?email=empty@example.org&user_token=&${T}`,
        status: 201,
        reply: created("empty@example.org", expect.stringMatching(/^reprise\./)),
      },
      {
        name: "with a body, which is not read",
        url: `/api/users?email=body@example.org&${T}`,
        headers: { "content-type": "application/json" },
        body: "{",
        status: 201,
      },
    ].map((row) => ({ method: "POST" as const, ...row })),
  );

  test("creates exactly one user for concurrent requests with equal addresses", async () => {
    const url = `/api/users?email=race@example.org&${T}`;
    const replies = await Promise.all(Array.from({ length: 8 }, () => api.inject({ method: "POST", url })));
    expect(replies.filter((reply) => reply.statusCode === 201)).toHaveLength(1);
    expect(replies.filter((reply) => reply.statusCode === 403)).toHaveLength(7);
  });

  test("a refused one leaves no user behind", async () => {
    const url = `/api/users?email=half@example.org&user_token=${ada.token}&${T}`;
    expect((await api.inject({ method: "POST", url })).statusCode).toBe(403);
    expect((await api.inject(`/api/users?email=half@example.org&${T}`)).statusCode).toBe(404);
  });
});

describe("a fault of the server", () => {
  test("is 500 with its text on /api/users, with an id that the log has too elsewhere", async () => {
    const broken = await apiFixture();
    await broken.operations.db.destroy();
    const url = (path: string) => `${path}?access_token=${broken.adminToken}`;
    const users = await broken.inject(url("/api/users"));
    expect([users.statusCode, users.json()]).toEqual([
      500,
      { message: "driver has already been destroyed", code: "server-fault" },
    ]);
    const accounts = await broken.inject(url("/api/admin/users"));
    expect(accounts.statusCode).toBe(500);
    const id = /under the id ([\w-]+)\.$/.exec(accounts.json().message)![1]!;
    const line = broken.logged.find(
      (text) => text.includes('"error"') && text.includes(`"requestId":"${id}"`),
    );
    expect(JSON.parse(line!)).toMatchObject({
      route: "/api/admin/users",
      err: { message: expect.any(String) },
    });
    await broken.close();
  });
});
