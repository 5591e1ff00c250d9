import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";

/** The reason for skipping a test that makes certificates. */
export const NEEDS_OPENSSL = "it needs openssl: apt-get install openssl";

export function hasOpenssl(): boolean {
  return spawnSync("openssl", ["version"]).status === 0;
}

/** Makes a self-signed certificate for the name `reprise.example.org`. */
export function makeCertificate(folder: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=reprise.example.org", "-days", "1"];
  execFileSync("openssl", [...request, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key, cert };
}
