import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { connectTo } from "#cli/connection/live-server";
import { hasOpenssl, makeCertificate, NEEDS_OPENSSL } from "../support/certificate.ts";

let server: https.Server;
let folder: string;
let fingerprint: string;
let heard: (string | undefined)[];
let url: string;

/** Starts a server with a self-signed TLS certificate for a name different from its address. */
beforeEach(async (context) => {
  context.skip(!hasOpenssl(), NEEDS_OPENSSL);
  folder = mkdtempSync(path.join(os.tmpdir(), "reprise-tls-"));
  const { key, cert } = makeCertificate(folder);
  fingerprint = new X509Certificate(readFileSync(cert)).fingerprint256;
  heard = [];
  server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, response) => {
    heard.push(incoming.headers.authorization);
    response.writeHead(incoming.url === "/api/ping" ? 200 : 403, { "content-type": "application/json" });
    response.end('{"message": "Said over TLS."}');
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  url = `https://127.0.0.1:${port}`;
  return async () => {
    await once(server.close(), "close");
    rmSync(folder, { recursive: true });
  };
});

test("the certificate that was written down is believed", async () => {
  const { data } = await connectTo({ url, pid: 1, certificate: fingerprint }, "a.b.c").GET("/api/ping");
  expect(data).toEqual({ message: "Said over TLS." });
  expect(heard).toEqual(["Bearer a.b.c"]);
});

test("a refusal comes through as one", async () => {
  const client = connectTo({ url, pid: 1, certificate: fingerprint }, "a.b.c");
  await expect(client.GET("/api/users")).rejects.toMatchObject({ status: 403, message: "Said over TLS." });
});

test("another server gets no request", async () => {
  const other = fingerprint.replace(/^../, fingerprint.startsWith("00") ? "11" : "00");
  const client = connectTo({ url, pid: 1, certificate: other }, "a.b.c");
  await expect(client.GET("/api/ping")).rejects.toThrow("another certificate is shown there");
  expect(heard).toEqual([]);
});
