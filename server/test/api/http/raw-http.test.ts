import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { METHODS } from "node:http";
import https from "node:https";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { text as textOf } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { endpoint, routesOf } from "#api/http/endpoint";
import { Message } from "#api/http/document/schemas";
import { apiFixture } from "../../support/api-fixture.ts";
import { hasOpenssl, makeCertificate, NEEDS_OPENSSL } from "../../support/certificate.ts";
import { bodyOf, exchange, statusOf } from "./raw-http.ts";

/** Malformed requests. An HTTP library would not send them. */
const api = await apiFixture();
const url = await api.listen();
afterAll(() => api.close());
const T = `access_token=${api.adminToken}`;
const HOST = "Host: localhost\r\n";

const requests: readonly (readonly [name: string, bytes: string, status: number])[] = [
  ["no HTTP at all", "hello\r\n\r\n", 400],
  ["a TLS handshake", "\u0016\u0003\u0001\u0002\u0000\u0001", 400],
  ["an unknown version", `GET /api/ping HTTP/9.9\r\n${HOST}\r\n`, 400],
  ["an unknown method that is no word", `B(R)EW /api/ping HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["an unknown method of an unknown address", `BREW /api/pong HTTP/1.1\r\n${HOST}\r\n`, 404],
  [
    "an unknown method behind another request",
    `GET /api/ping HTTP/1.0\r\n\r\nBREW /api/ping HTTP/1.1\r\n${HOST}\r\n`,
    200,
  ],
  ["no host", "GET /api/ping HTTP/1.1\r\n\r\n", 400],
  ["two hosts", `GET /api/ping HTTP/1.1\r\n${HOST}hOST: localhost\r\n\r\n`, 400],
  ["a header with a control character", `GET /api/ping HTTP/1.1\r\n${HOST}X: a\u0001b\r\n\r\n`, 400],
  ["two lengths", `POST /api/ping HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 400],
  [
    "a length and chunks: what smuggles requests past a proxy",
    `POST /api/ping HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ["a negative length", `POST /api/ping HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`, 400],
  ["headers without end", `GET /api/ping HTTP/1.1\r\n${HOST}X: ${"a".repeat(20_000)}`, 431],
  ["too many headers", `GET /api/ping HTTP/1.1\r\n${HOST}${"X: aaaaaaaa\r\n".repeat(2000)}\r\n`, 431],
  ["an endless address", `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ["a long name in an address", `GET /api/workflows/${"a".repeat(9000)}/status HTTP/1.1\r\n${HOST}\r\n`, 414],
  ["a percent sign alone", `GET /% HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["a percent sign in a name", `GET /api/workflows/%zz/status?${T} HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["half a UTF-8 letter", `GET /api/workflows/%C3/status?${T} HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["a percent sign in a query", `GET /api/workflows?page=%&${T} HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["a whole address", `GET http://localhost/api/ping HTTP/1.1\r\n${HOST}\r\n`, 200],
  ["an address without a slash", `GET api/ping HTTP/1.1\r\n${HOST}\r\n`, 400],
  ["a star", `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 404],
  ["a tunnel", `CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n`, 405],
  ["an expectation that nobody meets", `GET /api/ping HTTP/1.1\r\n${HOST}Expect: cake\r\n\r\n`, 417],
  ["HTTP/1.0 without a host", "GET /api/ping HTTP/1.0\r\n\r\n", 200],
  [
    "a broken chunk",
    `POST /api/users?email=x&${T} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    400,
  ],
];

describe("bytes that are no good request", () => {
  test.each(requests)("%s", async (_name, bytes, status) => {
    const reply = await exchange(url, Buffer.from(bytes, "latin1"));
    expect([statusOf(reply), reply]).toEqual([
      status,
      expect.stringMatching(/^x-content-type-options: nosniff\r$/im),
    ]);
    if (status >= 400)
      expect(JSON.parse(bodyOf(reply))).toEqual({
        message: expect.stringMatching(/\S/),
        code: expect.stringMatching(/^[a-z-]+$/),
      });
  });

  test("any bytes get a reply other than 500, and the server continues", async () => {
    const word = fc.constantFrom(
      "GET",
      "POST",
      " ",
      "/",
      "/api/ping",
      "HTTP/1.1",
      "\r\n",
      ":",
      "Host",
      "%",
      "\u0000",
      "?",
    );
    const line = fc.array(fc.oneof(word, fc.string({ maxLength: 20 })), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(line, async (words) => {
        const reply = await exchange(url, `${words.join("")}\r\n\r\n\r\n${"\u0000".repeat(4)}`);
        expect(statusOf(reply)).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
    expect((await fetch(`${url}/api/ping`)).status).toBe(200);
  });

  test("addresses of any letters are answered with JSON, and never with a fault", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 40 }), async (text) => {
        const address = `/api/workflows/${encodeURIComponent(text.toWellFormed())}/status?${T}`;
        const reply = await fetch(url + address);
        expect(reply.status).toBeLessThan(500);
        await reply.json();
      }),
      { numRuns: 60 },
    );
  });
});

describe("methods that an address does not have", () => {
  const words = [...METHODS, "BREW", "get", "GETS", "X-Y_Z!"].filter(
    (word) => !["GET", "HEAD"].includes(word),
  );

  test.each(words)("%s", async (method) => {
    const reply = await exchange(url, `${method} /api/ping?x=1 HTTP/1.1\r\n${HOST}\r\n`);
    expect([statusOf(reply), reply]).toEqual([405, expect.stringMatching(/^allow: GET, HEAD/im)]);
    expect(JSON.parse(bodyOf(reply))).toEqual({
      message: expect.stringMatching(/\S/),
      code: expect.stringMatching(/^[a-z-]+$/),
    });
  });
});

describe("connections", () => {
  test("a client that goes away in the middle of a request is no fault", async () => {
    const before = api.logged.length;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(`POST /api/workflows?${T} HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\n{"half":`);
    // The reply to a second connection says that the first one's bytes were read.
    await fetch(`${url}/api/ping`);
    socket.resetAndDestroy();
    await once(socket, "close");
    await expect.poll(() => api.logged.slice(before).join("")).toContain('"cut":true');
    expect(api.logged.slice(before).join("")).not.toContain('"level":"error"');
  });

  test("a client refused before its body was read gets the refusal, and its connection continues", async () => {
    const body = "x".repeat(3_000_000);
    const first = `POST /api/workflows HTTP/1.1\r\n${HOST}Content-Length: ${body.length}\r\n\r\n${body}`;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.setEncoding("latin1");
    let received = "";
    socket.on("data", (text: string) => void (received += text));
    socket.write(first);
    socket.write(`GET /api/ping HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    await once(socket, "close");
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
  });

  test("what is no request takes no reply to an earlier request with it", async () => {
    const good = `GET /api/workflows?${T} HTTP/1.1\r\n${HOST}\r\n`;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.setEncoding("latin1");
    let received = "";
    socket.on("data", (text: string) => void (received += text));
    socket.write(`${good.repeat(20)}hello\r\n\r\n`);
    socket.write(good);
    await once(socket, "close");
    const statuses = received.match(/(?<=HTTP\/1\.1 )\d+/g);
    expect(statuses).toEqual([...Array<string>(20).fill("200"), "400"]);
  });

  test("waiting is bounded, but not how long an upload may take", () => {
    const { headersTimeout, requestTimeout, timeout, keepAliveTimeout } = api.app.server;
    expect(headersTimeout).toBeLessThanOrEqual(60_000);
    expect(headersTimeout).toBeGreaterThan(0);
    expect(timeout).toBeGreaterThan(0);
    expect(keepAliveTimeout).toBeGreaterThan(0);
    expect(requestTimeout).toBe(0);
  });

  test("closing over TLS neither waits for silent clients nor breaks off an answer", async (context) => {
    context.skip(!hasOpenssl(), NEEDS_OPENSSL);
    const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-tls-"));
    const { key, cert } = makeCertificate(folder);
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const slow = endpoint({
      operation: "slow",
      summary: "",
      access: "anyone",
      schema: { response: { 200: Message } },
      async handle() {
        begun.resolve();
        await end.promise;
        return { message: "whole" };
      },
    });
    const other = await apiFixture({
      routes: routesOf([["GET", "/slow", slow]]),
      config: { tlsCert: cert, tlsKey: key },
    });
    const port = Number(new URL(await other.listen()).port);
    const silent = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(silent.resume(), "secureConnect");
    const answer = new Promise<string>((resolve, reject) => {
      const options = { port, path: "/slow", rejectUnauthorized: false };
      https.get(options, (reply) => resolve(textOf(reply))).on("error", reject);
    });
    await begun.promise;
    const closed = other.close();
    await once(silent, "close");
    end.resolve();
    expect(await answer).toBe('{"message":"whole"}');
    await closed;
    await rm(folder, { recursive: true });
  });

  test("closing does not wait for a silent client", async () => {
    const other = await apiFixture();
    const otherUrl = await other.listen();
    await fetch(`${otherUrl}/api/ping`);
    const silent = connect(Number(new URL(otherUrl).port), "127.0.0.1");
    await once(silent, "connect");
    await other.close();
    expect(other.app.server.listening).toBe(false);
    silent.destroy();
  });
});
