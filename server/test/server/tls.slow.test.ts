import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import https from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { hasOpenssl, makeCertificate, NEEDS_OPENSSL } from "../support/certificate.ts";
import { startRealServer, temporaryFolder } from "../support/real-server.ts";

const MAIN = path.join(import.meta.dirname, "..", "..", "src", "main.ts");

test("over TLS remote clients may connect, and local commands find the server", async (context) => {
  context.skip(!hasOpenssl(), NEEDS_OPENSSL);
  const { folder, remove } = await temporaryFolder();
  const { key, cert } = makeCertificate(folder);
  const data = path.join(folder, "data");
  const server = await startRealServer(data, {}, "--host", "0.0.0.0", "--tls-cert", cert, "--tls-key", key);
  expect(server.url).toMatch(/^https:/);

  const ping = await askOverTls(`${server.url}/api/ping`, await readFile(cert));
  expect(JSON.parse(ping)).toMatchObject({ message: "OK" });

  const run = promisify(execFile);
  const listed = await run(process.execPath, [MAIN, "user", "list", "--json", "--data", data]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ email: "admin@localhost" }]);
  await server.stop();
  await remove();
});

/** Sends a request like a client that knows the server by the name in the certificate. */
function askOverTls(url: string, ca: Buffer): Promise<string> {
  const servername = "reprise.example.org";
  return new Promise((resolve, reject) => {
    const options = { ca, servername, headers: { host: servername } };
    https.get(url, options, (answer) => resolve(text(answer))).on("error", reject);
  });
}
