import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { SettingError } from "#config/read";
import type { Config } from "#config/settings";
import { messageOf } from "#plumbing/errors";

/**
 * Refuses a certificate and a key that TLS cannot use. Called before the data folder is made, so that a
 * failed start creates no folder.
 */
export function checkTlsFiles({ tlsCert, tlsKey }: Pick<Config, "tlsCert" | "tlsKey">): void {
  if (tlsCert === undefined || tlsKey === undefined) return;
  const [certPem, keyPem] = [read("--tls-cert", tlsCert), read("--tls-key", tlsKey)];
  const areSwapped = isCertificate(keyPem) && isKey(certPem);
  const advice = areSwapped ? " The two are swapped: the certificate belongs to --tls-cert." : "";
  const certificate = certificateIn(certPem);
  if (!certificate) throw problem(`--tls-cert ${tlsCert} holds no certificate in PEM.${advice}`);
  if (/ENCRYPTED/.test(keyPem)) {
    throw problem(
      `--tls-key ${tlsKey} is encrypted, and a server cannot ask for its passphrase. Decrypt it first.`,
    );
  }
  const key = keyIn(keyPem);
  if (!key) throw problem(`--tls-key ${tlsKey} holds no private key in PEM.${advice}`);
  if (!certificate.checkPrivateKey(key)) {
    throw problem(
      `--tls-key ${tlsKey} is not the private key of the first certificate in --tls-cert ${tlsCert}.`,
    );
  }
}

function problem(sentence: string): SettingError {
  return new SettingError([sentence]);
}

function read(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw problem(`${option} ${file} could not be read: ${messageOf(error)}.`);
  }
}

function isCertificate(pem: string): boolean {
  return /-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/.test(pem);
}

function isKey(pem: string): boolean {
  return /-----BEGIN ([A-Z]+ )*PRIVATE KEY-----/.test(pem);
}

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return isCertificate(pem) ? new X509Certificate(pem) : undefined;
  } catch {
    return undefined;
  }
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return isKey(pem) ? createPrivateKey(pem) : undefined;
  } catch {
    return undefined;
  }
}
