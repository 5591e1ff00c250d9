import { afterAll, describe, expect, test } from "vitest";
import { apiFixture } from "../support/api-fixture.ts";

/** Places in a request where a token may stand. */
const api = await apiFixture();
afterAll(() => api.close());
const ada = await api.makeUser();

describe("credentials", () => {
  const T = ada.token;
  const status = async (url: string, headers: Record<string, string> = {}) =>
    (await api.inject({ url, headers })).statusCode;

  test.each([
    ["in the query", `/api/workflows?access_token=${T}`, {}, 200],
    ["as a bearer token", "/api/workflows", { authorization: `Bearer ${T}` }, 200],
    ["with the scheme in small letters", "/api/workflows", { authorization: `bearer  ${T} ` }, 200],
    [
      "an empty one in the query leaves the header",
      "/api/workflows?access_token=",
      { authorization: `Bearer ${T}` },
      200,
    ],
    [
      "the query wins over the header",
      "/api/workflows?access_token=no",
      { authorization: `Bearer ${T}` },
      404,
    ],
    ["the first of two in the query", `/api/workflows?access_token=${T}&access_token=no`, {}, 200],
    ["another scheme is none", "/api/workflows", { authorization: `Basic ${T}` }, 401],
    ["a scheme alone is none", "/api/workflows", { authorization: "Bearer" }, 401],
    ["in a header of its own is none", "/api/workflows", { access_token: T }, 401],
    ["in a cookie is none", "/api/workflows", { cookie: `access_token=${T}` }, 401],
    ["cut short", `/api/workflows?access_token=${T.slice(0, -1)}`, {}, 404],
    ["with one more letter", `/api/workflows?access_token=${T}x`, {}, 404],
    ["in other letters", `/api/workflows?access_token=${T.toUpperCase()}`, {}, 404],
    ["with a NUL", `/api/workflows?access_token=${T}%00`, {}, 404],
  ] as const)("%s", async (_name, url, headers, expected) => {
    expect(await status(url, headers)).toBe(expected);
  });

  test.each([
    "//api/workflows",
    "/api//workflows",
    "/api/workflows;x",
    "/API/workflows",
    "/api/%77orkflows",
    "/./api/workflows",
  ])("another spelling of an address opens nothing: %s", async (url) => {
    expect([401, 404]).toContain(await status(url));
  });

  test("a client that is not signed in is told how", async () => {
    expect((await api.inject("/api/workflows")).headers["www-authenticate"]).toBe("Bearer");
  });
});
