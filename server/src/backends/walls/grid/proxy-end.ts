import { X509Certificate } from "node:crypto";

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Returns the time when a proxy expires: the earliest end of its certificates. Undefined if the file is not a proxy, which
 * has at least two certificates and a key.
 */
export function proxyEndMs(file: Buffer): number | undefined {
  const text = file.toString("latin1");
  const certificates = text.match(CERTIFICATES) ?? [];
  if (certificates.length < 2 || !text.includes("PRIVATE KEY-----")) return undefined;
  try {
    return Math.min(...certificates.map((pem) => Date.parse(new X509Certificate(pem).validTo)));
  } catch {
    return undefined; // the constructor throws for text that is no certificate
  }
}
