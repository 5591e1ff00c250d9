import { afterAll, expect, test } from "vitest";
import { apiFixture } from "../../support/api-fixture.ts";

const api = await apiFixture();
afterAll(() => api.close());

test("the badge is a picture that pages of other sites may show, and runs no script", async () => {
  const { statusCode, headers, body } = await api.inject("/launcher-badge");
  expect([statusCode, body]).toEqual([
    200,
    expect.stringMatching(/^<svg [^]*launch with Reprise[^]*<\/svg>\n$/),
  ]);
  expect(headers).toMatchObject({
    "content-type": "image/svg+xml",
    "content-security-policy": "default-src 'none'",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
  });
});

test("opening a launch link creates nothing", async () => {
  const url = `/launch?url=https%3A%2F%2Fexample.org%2Ffit&access_token=${api.adminToken}`;
  // The server has no page. A server with a page would send one document for every link.
  expect((await api.inject(url)).statusCode).toBe(404);
  expect((await api.inject(`/api/workflows?access_token=${api.adminToken}`)).json()).toEqual([]);
});
