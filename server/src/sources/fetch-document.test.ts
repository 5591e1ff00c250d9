import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDocumentSource } from "#sources/fetch-document";

let server: Server;
let port: number;
const hosts: (string | undefined)[] = [];

beforeAll(async () => {
  server = createServer((request, reply) => {
    hosts.push(request.headers.host);
    if (request.url === "/doc") return reply.end("hello");
    if (request.url === "/moved") return reply.writeHead(302, { location: "doc" }).end();
    if (request.url === "/away") return reply.writeHead(302, { location: "http://other.test/doc" }).end();
    if (request.url === "/file") return reply.writeHead(302, { location: "file:///etc/passwd" }).end();
    if (request.url === "/circle") return reply.writeHead(302, { location: "/circle" }).end();
    if (request.url === "/long") return reply.end("x".repeat(1000));
    if (request.url === "/silent") return;
    return reply.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const NEVER = new AbortController().signal;
const source = () =>
  openDocumentSource({
    httpHosts: [`docs.test:${port}`],
    privateHosts: [`docs.test:${port}`],
    resolve: async () => ["127.0.0.1"],
  });
const fetch = (path: string, host = `docs.test:${port}`, signal = NEVER) =>
  source().fetch(`http://${host}${path}`, 100, signal);

describe("a document on the web", () => {
  test.each(["/doc", "/moved"])("%s is read at the address that was checked", async (path) => {
    expect(await fetch(path)).toBe("hello");
    expect(hosts.at(-1)).toBe(`docs.test:${port}`);
  });

  test.each([
    ["/none", "could not be read: the server returned the status 404."],
    ["/long", "could not be read: it is larger than the 100 bytes that are left for documents."],
    ["/circle", "could not be read: it was redirected more than 5 times."],
    ["/file", "could not be read: it was redirected to something that is no http or https address."],
    ["/away", "Documents on other.test are read over https only"],
  ])("%s is refused", async (path, sentence) => {
    await expect(fetch(path)).rejects.toMatchObject({
      name: "Refusal",
      message: expect.stringContaining(sentence) as string,
    });
  });

  test("on a private host that is not allowed is refused", async () => {
    const strict = openDocumentSource({
      httpHosts: [],
      privateHosts: [],
      resolve: async () => ["127.0.0.1"],
    });
    await expect(strict.fetch("https://docs.test/doc", 100, NEVER)).rejects.toThrow(
      "docs.test is a private or local address, and documents there are not read.",
    );
  });

  test("that does not arrive is given up when the signal aborts", async () => {
    await expect(fetch("/silent", undefined, AbortSignal.timeout(50))).rejects.toMatchObject({
      name: "TimeoutError",
    });
  });
});
