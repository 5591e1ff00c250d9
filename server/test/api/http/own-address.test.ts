import { describe, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";

describe("a browser that opens localhost, where a job may listen on the other address", () => {
  const PAGE = {
    method: "GET",
    url: "/runs?x=1#y",
    headers: { host: "localhost:7070", accept: "text/html" },
  } as const;

  async function answerTo(host: string, request: object) {
    const api = await apiFixture({ config: { host } });
    try {
      const { statusCode, headers } = await api.app.inject({ ...PAGE, ...request });
      return statusCode === 302 ? headers.location : statusCode;
    } finally {
      await api.close();
    }
  }

  test.each([
    ["127.0.0.1", PAGE, "http://127.0.0.1:7070/runs?x=1"],
    ["::1", PAGE, "http://[::1]:7070/runs?x=1"],
    ["127.0.0.1", { url: "/nothing-here" }, "http://127.0.0.1:7070/nothing-here"],
    ["127.0.0.1", { headers: { ...PAGE.headers, host: "LOCALHOST" } }, "http://127.0.0.1/runs?x=1"],
  ])("is sent to the address on which the server listens (%s, %o)", async (host, request, location) => {
    expect(await answerTo(host, request)).toBe(location);
  });

  test.each([
    ["the server listens on both addresses", "localhost", {}],
    ["it is the API", "127.0.0.1", { url: "/api/ping" }],
    ["it opened the address itself", "127.0.0.1", { headers: { ...PAGE.headers, host: "127.0.0.1:7070" } }],
    ["a proxy forwards", "127.0.0.1", { headers: { ...PAGE.headers, "x-forwarded-for": "10.0.0.1" } }],
    ["it is a program", "127.0.0.1", { headers: { host: "localhost:7070", accept: "*/*" } }],
    ["it is no page", "127.0.0.1", { method: "POST" }],
  ])("stays where it is if %s", async (_why, host, request) => {
    expect(await answerTo(host, request)).toEqual(expect.any(Number));
  });
});
