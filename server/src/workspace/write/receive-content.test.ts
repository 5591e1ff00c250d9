import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { receiveContent } from "#workspace/write/receive-content";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-receive-"));
});
afterEach(() => rm(folder, { recursive: true }));

const options = { mode: 0o600, fsync: false };
const content = randomBytes(5_000_000);

test("the body of a request is written whole, and its memory is free when it is written", async () => {
  const file = path.join(folder, "received");
  const chunks: Buffer[] = [];
  const server = http.createServer((request, response) => {
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    void receiveContent(file, request, { ...options, ownsChunks: true }).then((bytes) =>
      response.end(String(bytes)),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: content });
    expect(await answer.text()).toBe(String(content.length));
  } finally {
    server.close();
  }
  expect(content.equals(await readFile(file))).toBe(true);
  // Node 20 cannot free buffers.
  const kept = "transfer" in ArrayBuffer.prototype ? 0 : content.length;
  expect(chunks.reduce((sum, chunk) => sum + chunk.length, 0)).toBe(kept);
});

test("shared chunks stay unchanged", async () => {
  const file = path.join(folder, "received");
  const chunks = [Buffer.alloc(100_000, "a"), Buffer.alloc(100_000, "b")];
  expect(await receiveContent(file, Readable.from(chunks), { ...options, ownsChunks: false })).toBe(200_000);
  expect(chunks.map((chunk) => chunk.length)).toEqual([100_000, 100_000]);
  expect(await readFile(file)).toEqual(Buffer.concat(chunks));
});
