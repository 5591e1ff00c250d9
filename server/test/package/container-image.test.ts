import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { folderForEach } from "#plumbing/files/folder-fixture";
import { startApp } from "#app/start";
import { readConfig } from "#config/read";
import { hasOpenssl, makeCertificate, NEEDS_OPENSSL } from "../support/certificate.ts";

/**
 * The `Dockerfile`. conformance/package builds its image; the health check of a running server needs no image.
 */
const DOCKERFILE = readFileSync(path.join(import.meta.dirname, "..", "..", "..", "Dockerfile"), "utf8");
const UNHEALTHY = 1;

let folder: string;

folderForEach((made) => void (folder = made));

/** Runs the command of its HEALTHCHECK as Docker does, and returns the exit code. */
async function askHealth(): Promise<number> {
  const [, words = ""] = /^HEALTHCHECK CMD (\[.*\])$/m.exec(DOCKERFILE) ?? [];
  const [program, ...args] = JSON.parse(words) as [string, ...string[]];
  expect(program).toBe("node");
  const env = { PATH: process.env["PATH"], REPRISE_DATA: folder };
  return promisify(execFile)(process.execPath, args, { env }).then(
    () => 0,
    (error: { readonly code: number }) => error.code,
  );
}

function start(settings: Readonly<Record<string, string>>) {
  const config = readConfig({}, { dataFolder: folder, port: "0", sampleRun: "false", ...settings });
  return startApp(config, "0.1.0");
}

describe("the health check of the image", () => {
  test("finds the server on any port, and says when it is gone", async () => {
    expect(await askHealth()).toBe(UNHEALTHY);
    const app = await start({ host: "0.0.0.0", sandbox: "none", allowInsecureHost: "true" });
    expect(await askHealth()).toBe(0);
    await app.close();
    expect(await askHealth()).toBe(UNHEALTHY);
  });

  test("accepts a TLS server with a certificate for any name", async (context) => {
    context.skip(!hasOpenssl(), NEEDS_OPENSSL);
    const { key, cert } = makeCertificate(folder);
    const app = await start({ host: "0.0.0.0", sandbox: "none", tlsKey: key, tlsCert: cert });
    expect(await askHealth()).toBe(0);
    await app.close();
  });
});
