import { afterAll, expect, test } from "vitest";
import { ROUTES } from "#api/routes";
import { apiFixture } from "../support/api-fixture.ts";
import { exchange } from "./http/raw-http.ts";

/** The log holds no token, wherever in a request one is sent. */
const api = await apiFixture();
const url = await api.listen();
afterAll(() => api.close());

test("no token reaches the log, in whole or in part", async () => {
  const user = await api.makeUser();
  const given = "a-token-of-ones-own-that-looks-like-nothing";
  const tokens = [api.adminToken, user.token, given, "nobodys.token.at-all"];
  await api.inject({
    method: "POST",
    url: `/api/users?email=g@h.i&user_token=${given}&access_token=${api.adminToken}`,
  });
  for (const token of tokens) {
    for (const route of ROUTES) {
      const path = route.path.replaceAll(/\{\w+\*?\}/g, token);
      const query = `access_token=${token}&user_token=${token}&spec=https://u:${token}@h/r.git&page=${token}`;
      const headers = {
        authorization: `Bearer ${token}`,
        cookie: `session=${token}`,
        "x-gitlab-token": token,
      };
      const payload = JSON.stringify({ access_token: token });
      await api.inject({ method: route.method, url: `${path}?${query}` });
      await api.inject({ method: route.method, url: path, headers, payload });
      await api.inject({ method: route.method, url: `${path}?${query}`, payload: `{"a": "${token}` });
    }
    await exchange(url, `GET /%?access_token=${token} HTTP/1.1\r\nHost: h\r\n\r\n`);
    await exchange(url, `GET /?access_token=${token} HTTP/9.9\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    await exchange(url, `GET /api/nope/${token}?access_token=${token} HTTP/1.1\r\nHost: ${token}\r\n\r\n`);
  }
  const log = api.logged.join("");
  expect(api.logged.length).toBeGreaterThan(tokens.length * ROUTES.length * 3);
  for (const token of tokens) {
    expect(log).not.toContain(token);
    expect(log).not.toContain(encodeURIComponent(token));
    expect(log).not.toContain(token.split(".").at(-1));
  }
  for (const line of api.logged) expect(JSON.parse(line)).toHaveProperty("level");
});
