import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { freePort } from "#backends/free-port-fixture";
import type { JobSecrets } from "#workflow/people/secret";

/** A Kerberos server on loopback, with one user and one service. */
export interface Kdc {
  readonly realm: string;
  /** The secrets of the user, as jobs get them. */
  readonly secrets: JobSecrets;
  /** The variable that leads programs to the server. */
  readonly environment: { readonly KRB5_CONFIG: string };
  /** Text of the configuration. */
  readonly configuration: string;
  close(): void;
}

/** A service for which a user with a ticket gets another ticket. */
export const SERVICE = "host/service";

const REALM = "REPRISE.TEST";
const PROGRAMS = ["krb5kdc", "kdb5_util", "kadmin.local", "kinit", "klist"];
/** Debian has the server's programs where only root's PATH leads. */
const PATH = `${process.env["PATH"] ?? ""}:/usr/sbin`;

/** True if this machine has Kerberos's own programs. In CI a skipped test counts as failed. */
const HAS_KDC = PROGRAMS.every((program) => {
  try {
    execFileSync("which", [program], { env: { PATH }, stdio: "ignore" });
    return true;
  } catch {
    return false; // `which` fails exactly when there is no such program
  }
});

/** Why a test with Kerberos is skipped. */
export const NO_KDC = HAS_KDC
  ? undefined
  : "it needs a server of Kerberos: apt-get install krb5-kdc krb5-admin-server krb5-user";

/** The network of a server: the address there, and the words before a command that run the command there. */
interface Network {
  readonly host: string;
  readonly words: readonly string[];
}

/** Starts a server. It answers once the promise resolves. Default: on loopback. */
export async function startKdc({ host, words }: Network = { host: "127.0.0.1", words: [] }): Promise<Kdc> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "reprise-kdc-"));
  const address = `${host}:${await freePort()}`;
  // The ticket is requested by TCP, because a busy machine loses datagrams.
  const configuration = `[libdefaults]
  default_realm = ${REALM}
  dns_lookup_kdc = false
  rdns = false
  udp_preference_limit = 1
[realms]
  ${REALM} = {
    kdc = ${address}
  }
`;
  const keytab = path.join(folder, "ada.keytab");
  const own = {
    KRB5_CONFIG: write(folder, "krb5.conf", configuration),
    KRB5_KDC_PROFILE: write(folder, "kdc.conf", serverConfiguration(folder, address)),
  };
  const env = { ...own, PATH };
  const administer = (query: string) => execFileSync("kadmin.local", ["-q", query], { env, stdio: "pipe" });
  execFileSync("kdb5_util", ["create", "-s", "-P", "master", "-r", REALM], { env, stdio: "pipe" });
  administer("addprinc -randkey ada");
  administer(`addprinc -randkey ${SERVICE}`);
  administer(`ktadd -k ${keytab} ada`);
  const pidFile = path.join(folder, "pid");
  // krb5kdc returns when the server has opened its ports, and afterwards writes its pid.
  const [program, ...rest] = [...words, "krb5kdc", "-P", pidFile];
  execFileSync(program, rest, { env, stdio: "ignore" });
  const pid = await written(pidFile);
  return {
    realm: REALM,
    environment: { KRB5_CONFIG: own.KRB5_CONFIG },
    configuration,
    secrets: {
      environment: { CERN_USER: "ada", CERN_KEYTAB: "ada.keytab" },
      files: new Map([["ada.keytab", readFileSync(keytab)]]),
    },
    close() {
      process.kill(pid);
      rmSync(folder, { recursive: true });
    },
  };
}

function serverConfiguration(folder: string, address: string): string {
  return `[kdcdefaults]
  kdc_listen = ${address}
  kdc_tcp_listen = ${address}
[realms]
  ${REALM} = {
    database_name = ${folder}/principal
    key_stash_file = ${folder}/stash
    max_life = 10h
  }
[logging]
  kdc = FILE:${folder}/kdc.log
`;
}

async function written(pidFile: string): Promise<number> {
  for (;;) {
    const text = existsSync(pidFile) ? readFileSync(pidFile, "utf8") : "";
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function write(folder: string, name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}
