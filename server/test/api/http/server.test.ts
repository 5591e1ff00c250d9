import { Readable } from "node:stream";
import Type from "typebox";
import { afterAll, describe, expect, test } from "vitest";
import { endpoint, routesOf, uploadOf } from "#api/http/endpoint";
import { Refusal } from "#plumbing/errors";
import { apiFixture } from "../../support/api-fixture.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

/** Behaviour common to all endpoints. */
const api = await apiFixture();
afterAll(() => api.close());
const T = `access_token=${api.adminToken}`;
const tokensPath = `/api/admin/users/${api.admin.id}/tokens?${T}`;

describe("routes", async () => {
  await runScenarios(api, [
    {
      name: "an unknown address",
      url: `/api/nope?${T}`,
      status: 404,
      reply: "There is no GET /api/nope here. GET /api/openapi.json lists all endpoints.",
    },
    { name: "the root", url: "/", status: 404 },
    {
      name: "an unknown address with a body that is no JSON",
      method: "POST",
      url: "/nope",
      body: "{",
      status: 404,
    },
    {
      name: "an unknown address with an invalid content type",
      method: "POST",
      url: "/nope",
      headers: { "content-type": "nonsense" },
      body: "x",
      status: 404,
    },
    {
      name: "a method that the address does not answer",
      method: "DELETE",
      url: `/api/users?${T}`,
      status: 405,
      reply: "/api/users does not accept DELETE, only GET, HEAD, POST.",
      replyHeaders: { allow: "GET, HEAD, POST" },
    },
    {
      name: "a method that an address with names does not answer",
      method: "POST",
      url: "/api/workflows/a.1/status/",
      status: 405,
      replyHeaders: { allow: "GET, HEAD, PUT" },
    },
    {
      name: "control characters are not repeated",
      url: "/a%0d%0ab",
      status: 404,
      reply: "There is no GET /a%0d%0ab here. GET /api/openapi.json lists all endpoints.",
    },
  ]);
});

describe("JSON bodies", async () => {
  const post = { method: "POST" as const, url: tokensPath };
  const json = { "content-type": "application/json" };
  await runScenarios(api, [
    {
      ...post,
      name: "no JSON: the place is named",
      headers: json,
      body: '{\n "a": 1,\n}',
      status: 400,
      reply: "The body is not valid JSON: expected a key in double quotes at line 3, column 1.",
    },
    {
      ...post,
      name: "no object",
      headers: json,
      body: "[]",
      status: 400,
      reply: "Field 'body': must be object.",
    },
    {
      ...post,
      name: "no UTF-8",
      headers: json,
      body: Buffer.from([0x22, 0xff, 0x22]),
      status: 400,
      reply: "The body is not valid JSON: it is not UTF-8 text.",
    },
    {
      ...post,
      name: "multipart",
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: "--x--",
      status: 415,
      reply: "The body is multipart, but JSON is expected here.",
    },
    {
      ...post,
      name: "too long",
      headers: json,
      body: `"${"a".repeat(1024 * 1024)}"`,
      status: 413,
      reply: "The body is longer than 1048576 bytes, the maximum for JSON.",
    },
    { ...post, name: "nested too deeply", headers: json, body: "[".repeat(5000), status: 400 },
    { ...post, name: "one that changes prototypes", headers: json, body: '{"__proto__":{}}', status: 400 },
    { ...post, name: "an empty one is none", headers: json, body: "", status: 201 },
    { ...post, name: "blanks are none", headers: json, body: " \n", status: 201 },
    { ...post, name: "null is none", headers: json, body: "null", status: 201 },
    { ...post, name: "with a byte order mark", headers: json, body: "\ufeff{}", status: 201 },
    ...["text/plain", "application/x-www-form-urlencoded", "nonsense", "application/json; charset", ""].map(
      (type) => ({
        ...post,
        name: `under the content type "${type}"`,
        headers: { "content-type": type },
        body: "{}",
        status: 201,
      }),
    ),
    {
      ...post,
      name: "unknown keys",
      headers: json,
      body: '{"new": 1}',
      status: 400,
      reply: expect.objectContaining({ message: expect.stringContaining("Field 'new': Unknown field.") }),
    },
    {
      name: "with GET: it is read",
      url: `/api/workflows/x/logs?${T}`,
      headers: json,
      body: "{",
      status: 400,
      reply:
        'The body is not valid JSON: it ends too early, expected a key in double quotes or "}" at line 1, column 2.',
    },
  ]);

  test("too long, without saying so first", async () => {
    const url = await api.listen();
    const body = Readable.toWeb(Readable.from(endlessly("a"))) as ReadableStream;
    const reply = await fetch(url + tokensPath, { method: "POST", body, duplex: "half" });
    expect([reply.status, await reply.json()]).toEqual([
      413,
      { message: "The body is longer than 1048576 bytes, the maximum for JSON.", code: "too-large" },
    ]);
  });
});

describe("query parameters", async () => {
  await runScenarios(api, [
    {
      name: "all that is wrong is said",
      url: `/api/workflows?page=0&size=many&${T}`,
      status: 400,
      reply: "Field 'page': must be >= 1. Field 'size': must be integer.",
    },
  ]);
});

/** 4 MiB at most, so a broken bound fails instead of running for ever. */
function* endlessly(letter: string): Generator<string> {
  for (let count = 0; count < 64; count += 1) yield letter.repeat(65_536);
}

describe("endpoints of any kind", async () => {
  const base = { summary: "", access: "anyone" as const };
  const text = Type.Object({ text: Type.String() });
  const routes = routesOf([
    [
      "POST",
      "/upload/{name*}",
      endpoint({
        ...base,
        operation: "upload",
        schema: { params: Type.Object({ name: Type.String() }), response: { 201: text } },
        upload: true,
        async handle(_context, request) {
          let size = 0;
          for await (const chunk of uploadOf(request)) size += (chunk as Buffer).length;
          return { text: `${request.params.name}: ${size}` };
        },
      }),
    ],
    [
      "GET",
      "/throw/{what}",
      endpoint({
        ...base,
        operation: "throw",
        schema: { params: Type.Object({ what: Type.String() }), response: { 200: text } },
        handle(_context, request) {
          throw THROWN[request.params.what];
        },
      }),
    ],
    [
      "GET",
      "/stream",
      endpoint({
        ...base,
        operation: "stream",
        schema: { response: { 200: text } },
        handle: (_context, _request, reply) => reply.type("text/plain").send(Readable.from(["a", "b"])),
      }),
    ],
  ]);
  const THROWN: Record<string, unknown> = {
    full: Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
    busy: Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" }),
    away: new Refusal("unavailable", "The server is closing."),
    nothing: undefined,
    text: "a text",
    fault: new Error("access_token=abc is in the message"),
  };
  const machine = await apiFixture({ routes });
  afterAll(() => machine.close());

  await runScenarios(machine, [
    ...[
      {},
      { "content-type": "text/csv" },
      { "content-type": "nonsense" },
      { "content-type": "multipart/mixed" },
    ].map((headers) => ({
      name: `an upload with ${JSON.stringify(headers)}`,
      method: "POST" as const,
      url: "/upload/a",
      headers: headers as Record<string, string>,
      body: "12345",
      status: 201,
    })),
    { name: "a full disk", url: "/throw/full", status: 507 },
    { name: "a busy database", url: "/throw/busy", status: 503 },
    { name: "a refusal", url: "/throw/away", status: 503, reply: "The server is closing." },
    { name: "a fault", url: "/throw/fault", status: 500 },
    { name: "a text that was thrown", url: "/throw/text", status: 500 },
    { name: "nothing that was thrown", url: "/throw/nothing", status: 500 },
  ]);

  test.each([
    ["/upload/a/b%2Fc", "a/b/c: 5"],
    ["/upload/a%252Fb", "a%2Fb: 5"],
    ["/upload/%E2%98%83%20x?y=%2F", "☃ x: 5"],
    ["/upload/a/", "a: 5"],
    ["/upload/..%2f..%2fetc", "../../etc: 5"],
  ])("the rest of the path is decoded once: %s", async (url, expected) => {
    expect((await machine.inject({ method: "POST", url, payload: "12345" })).json()).toEqual({
      text: expected,
    });
  });

  test("an upload is longer than any JSON may be", async () => {
    const reply = await machine.inject({
      method: "POST",
      url: "/upload/a",
      payload: Readable.from(endlessly("a")),
    });
    expect(reply.json()).toEqual({ text: `a: ${64 * 65_536}` });
  });

  test("an empty upload is one, too", async () => {
    const url = await machine.listen();
    const reply = await fetch(`${url}/upload/a`, { method: "POST" });
    expect([reply.status, await reply.json()]).toEqual([201, { text: "a: 0" }]);
  });

  test("a stream is sent as it comes", async () => {
    expect((await machine.inject("/stream")).body).toBe("ab");
  });

  test("the message of a fault stays in the log, without the token in it", async () => {
    const { message } = (await machine.inject("/throw/fault")).json();
    expect(message).toMatch(
      /^The server failed to answer this request\. Its log says why, under the id [\w-]+\.$/,
    );
    const line = machine.logged.findLast((one) => one.includes("is in the message"));
    expect(line).toContain("access_token=[redacted] is in the message");
  });
});

describe("the host that a request names", () => {
  const status = async (host: string | undefined, fixture = api) =>
    (await fixture.inject({ url: "/api/ping", headers: host === undefined ? {} : { host } })).statusCode;

  test.each([
    "localhost",
    "LOCALHOST:7070",
    "127.0.0.1",
    "127.0.0.1:80",
    "127.8.8.8:1",
    "[::1]",
    "[::1]:7070",
  ])("%s is the local machine", async (host) => {
    expect(await status(host)).toBe(200);
  });

  test.each([
    "evil.example",
    "evil.example:7070",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "10.0.0.1",
    "[::2]",
    "::1",
    "a b",
    "x".repeat(5000),
  ])("%s is not", async (host) => {
    const reply = await api.inject({ url: `/api/ping`, headers: { host } });
    expect(reply.statusCode).toBe(421);
    expect(reply.json().message).toContain("Use localhost or 127.0.0.1");
  });

  test("a refused one is not remembered, and an accepted one neither opens another", async () => {
    expect([await status("localhost"), await status("evil.example"), await status("localhost")]).toEqual([
      200, 421, 200,
    ]);
  });

  test("behind a proxy on this machine, the host of the public address is served too", async () => {
    const proxied = await apiFixture({ config: { publicUrl: "https://Reprise.example.org:8443/" } });
    expect(await status("reprise.example.org:8443", proxied)).toBe(200);
    expect(await status("REPRISE.example.org", proxied)).toBe(200);
    expect(await status("localhost", proxied)).toBe(200);
    expect(await status("evil.example", proxied)).toBe(421);
    const { public_url: url } = (await proxied.inject("/api/config")).json();
    expect(url).toBe("https://Reprise.example.org:8443");
    await proxied.close();
  });

  test("a server open to other machines accepts any host name", async () => {
    const open = await apiFixture({ config: { host: "0.0.0.0" } });
    expect(await status("any.example", open)).toBe(200);
    await open.close();
  });
});
