import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import type { JobSecrets } from "#workflow/people/secret";

/** A user of the grid with a certificate, and a stand-in for `voms-proxy-init` first in the PATH. */
export interface Grid {
  /** The secrets of the user, as jobs get them. */
  readonly secrets: JobSecrets;
  /** The variable that leads the stand-in to its organisation. */
  readonly environment: { readonly X509_VOMS_DIR: string };
  /** A complete proxy that is valid, and an expired proxy. */
  readonly proxy: Buffer;
  readonly expired: Buffer;
  close(): void;
}

/**
 * Checks its arguments and the passphrase as the real program does, and writes a proxy without an attribute of an
 * organisation: no server of VOMS can be installed here. Its serial number distinguishes each proxy from the next.
 */
const PROGRAM = `#!/bin/bash
while (($#)); do
  case $1 in
    --quiet | --pwstdin) shift ;;
    --voms | --cert | --key | --out) declare "\${1#--}=$2"; shift 2 ;;
    *) echo "unknown option $1" >&2; exit 1 ;;
  esac
done
read -r pass
[ "$(stat -c %a "$key")" = 600 ] || { echo "the key is readable by others" >&2; exit 1; }
[ -e "$X509_VOMS_DIR/$voms" ] || { echo "VOMS Server for $voms not known!" >&2; exit 1; }
openssl rsa -in "$key" -passin "pass:$pass" -out "$out" 2>/dev/null || { echo "wrong pass phrase" >&2; exit 1; }
openssl req -x509 -key "$out" -subj "/CN=ada/CN=proxy" -days 1 >"$out.proxy" 2>/dev/null
cat "$out.proxy" "$out" "$cert" >"$out.all" && rm -f "$out.proxy" && mv "$out.all" "$out"
`;

const PASSPHRASE = "a secret word";

export function openGrid(): Grid {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-grid-"));
  const at = (name: string) => path.join(folder, name);
  const openssl = (...words: string[]) => execFileSync("openssl", words, { cwd: folder, stdio: "pipe" });
  openssl("genrsa", "-aes256", "-passout", `pass:${PASSPHRASE}`, "-out", "userkey.pem", "2048");
  const subject = ["-subj", "/CN=ada", "-key", "userkey.pem", "-passin", `pass:${PASSPHRASE}`];
  openssl("req", "-x509", ...subject, "-days", "2", "-out", "usercert.pem");
  openssl("rsa", "-in", "userkey.pem", "-passin", `pass:${PASSPHRASE}`, "-out", "plain.pem");
  openssl("req", "-new", ...subject, "-out", "old.csr");
  const lasting = ["-signkey", "plain.pem", "-days", "-1"];
  openssl("x509", "-req", "-in", "old.csr", ...lasting, "-out", "old.pem");
  const files = ["userkey.pem", "usercert.pem"].map((name) => [name, readFileSync(at(name))] as const);
  const of = (...names: string[]) => Buffer.concat(names.map((name) => readFileSync(at(name))));
  writeFileSync(at("voms-proxy-init"), PROGRAM);
  chmodSync(at("voms-proxy-init"), 0o755);
  writeFileSync(at("repvo"), "");
  const before = process.env["PATH"];
  process.env["PATH"] = `${folder}:${before}`;
  return {
    secrets: {
      environment: { VONAME: "RepVO", VOMSPROXY_PASS: Buffer.from(PASSPHRASE).toString("base64") },
      files: new Map(files),
    },
    environment: { X509_VOMS_DIR: folder },
    proxy: of("usercert.pem", "plain.pem", "usercert.pem"),
    expired: of("old.pem", "plain.pem", "usercert.pem"),
    close() {
      process.env["PATH"] = before;
      rmSync(folder, { recursive: true });
    },
  };
}
