import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkTlsFiles } from "#app/tls-files";
import { hasOpenssl, makeCertificate, NEEDS_OPENSSL } from "../support/certificate.ts";

let folder: string;
let tlsCert: string;
let tlsKey: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "reprise-tls-"));
  if (hasOpenssl()) ({ cert: tlsCert, key: tlsKey } = makeCertificate(folder));
});

afterAll(() => rm(folder, { recursive: true }));

describe("unusable TLS files are refused with option and file", () => {
  test("a matching pair is accepted, and so is no pair", (context) => {
    context.skip(!hasOpenssl(), NEEDS_OPENSSL);
    checkTlsFiles({ tlsCert, tlsKey });
    checkTlsFiles({ tlsCert: undefined, tlsKey: undefined });
  });

  test("a swapped pair", (context) => {
    context.skip(!hasOpenssl(), NEEDS_OPENSSL);
    expect(() => checkTlsFiles({ tlsCert: tlsKey, tlsKey: tlsCert })).toThrow(
      `--tls-cert ${tlsKey} holds no certificate in PEM. The two are swapped: the certificate belongs to --tls-cert.`,
    );
  });

  test("missing files, or files with other contents", async (context) => {
    context.skip(!hasOpenssl(), NEEDS_OPENSSL);
    const absent = path.join(folder, "absent.pem");
    expect(() => checkTlsFiles({ tlsCert: absent, tlsKey })).toThrow(
      `--tls-cert ${absent} could not be read: ENOENT`,
    );
    const text = path.join(folder, "text.pem");
    await writeFile(text, "-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n");
    expect(() => checkTlsFiles({ tlsCert: text, tlsKey })).toThrow(/text.pem holds no certificate in PEM.$/);
    expect(() => checkTlsFiles({ tlsCert, tlsKey: text })).toThrow(/text.pem holds no private key in PEM.$/);
  });

  test("a key of another certificate, and a key with a passphrase", (context) => {
    context.skip(!hasOpenssl(), NEEDS_OPENSSL);
    const [other, locked] = [path.join(folder, "other.pem"), path.join(folder, "locked.pem")];
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", other], { stdio: "ignore" });
    expect(() => checkTlsFiles({ tlsCert, tlsKey: other })).toThrow(
      `--tls-key ${other} is not the private key of the first certificate in --tls-cert ${tlsCert}.`,
    );
    execFileSync("openssl", ["pkcs8", "-topk8", "-in", tlsKey, "-out", locked, "-passout", "pass:x"]);
    expect(() => checkTlsFiles({ tlsCert, tlsKey: locked })).toThrow("locked.pem is encrypted");
  });
});
