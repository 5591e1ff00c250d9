import path from "node:path";
import { makeSecretsFolder, secretsFolder, writeInSecrets } from "#backends/process/attempt/secret-files";
import { checkPresent, type Demand, namedFile, refused } from "#backends/walls/demanded-secrets";
import { proxyEndMs } from "#backends/walls/grid/proxy-end";
import type { TicketOptions } from "#backends/walls/kerberos/ticket";
import { systemClock } from "#plumbing/clock";
import { maybeProgram } from "#plumbing/files/find-program";
import type { JobSecrets } from "#workflow/people/secret";

/** REANA's names of the secrets. */
const VO_SECRET = "VONAME";
const PASSPHRASE_SECRET = "VOMSPROXY_PASS";
const CERTIFICATE_SECRET = "usercert.pem";
const KEY_SECRET = "userkey.pem";
/** Names a file secret that is a complete proxy. */
const FILE_SECRET = "VOMSPROXY_FILE";

/** The variable that leads programs to the proxy. */
export const PROXY_VARIABLE = "X509_USER_PROXY";

/** The variables by which `voms-proxy-init` finds certificates of authorities and the servers of organisations. */
const CONFIGURATION_VARIABLES = ["X509_CERT_DIR", "X509_VOMS_DIR", "VOMS_USERCONF"];

/** Most proxies last for twelve hours. */
const RENEWAL_SECONDS = 4 * 3600;

/** The name of a virtual organisation: never looks like an option of voms-proxy-init, nor like a command to the server. */
const VO = /^[A-Za-z0-9][\w.-]{0,254}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const DEMAND = "The step needs a VOMS proxy (voms_proxy: true)";

/** The VOMS proxy of one attempt. */
export interface Proxy {
  /** The folder on this machine that holds only the proxy. The folder is removed with the job's secrets. */
  readonly folder: string;
  /** The file name of the proxy in `folder`, as in REANA. */
  readonly file: string;
  /** The command that writes a new proxy beside the old one. */
  readonly command: readonly string[];
  /** The file that the command reads. */
  readonly input: string;
  /** 0: the proxy cannot be renewed. */
  readonly renewalSeconds: number;
  /** Says where the proxy comes from, for a message. */
  readonly source: string;
}

/** Throws if the job needs a proxy, and its user lacks a secret or this machine a program for it. */
export function checkProxy({ job, secrets }: Demand): void {
  if (!job.vomsProxy) return;
  if (secrets?.environment[FILE_SECRET] !== undefined) return checkGivenProxy(secrets);
  checkPresent(DEMAND, secrets, [
    { name: VO_SECRET, type: "env", holds: "the name of the virtual organisation" },
    { name: PASSPHRASE_SECRET, type: "env", holds: "the passphrase of the key in base64" },
    { name: CERTIFICATE_SECRET, type: "file", holds: "the certificate of the user" },
    { name: KEY_SECRET, type: "file", holds: "the key of the certificate" },
  ]);
  const { [VO_SECRET]: vo = "", [PASSPHRASE_SECRET]: passphrase = "" } = secrets!.environment;
  if (!VO.test(vo.trim()))
    throw refused(DEMAND, `the secret ${VO_SECRET} cannot be the name of a virtual organisation`);
  if (!BASE64.test(passphrase.trim()))
    throw refused(
      DEMAND,
      `the secret ${PASSPHRASE_SECRET} is not in base64: add it as printf %s PASSPHRASE | base64 prints it`,
    );
  programOf();
}

function checkGivenProxy(secrets: JobSecrets): void {
  const endMs = proxyEndMs(namedFile(DEMAND, secrets, FILE_SECRET));
  if (endMs === undefined)
    throw refused(DEMAND, `the secret file that ${FILE_SECRET} names is not a proxy of voms-proxy-init`);
  if (endMs <= systemClock.now())
    throw refused(
      DEMAND,
      `the proxy in the secret file that ${FILE_SECRET} names expired at ${new Date(endMs).toISOString()}: ` +
        "make a new one with voms-proxy-init, and replace it with reprise secrets add --overwrite",
    );
}

function programOf(): string {
  const program = maybeProgram("voms-proxy-init");
  if (program !== undefined) return program;
  throw refused(
    DEMAND,
    "this machine has no voms-proxy-init. Install it (Debian: apt install voms-clients), or add a complete proxy as a " +
      `secret file and its name as ${FILE_SECRET}`,
  );
}

/** Returns the job's proxy, and makes the proxy's folder. Undefined if the job needs no proxy. */
export function maybeProxy(
  demand: Demand,
  attemptFolder: string,
  { environment = {}, ticketRenewalSeconds = RENEWAL_SECONDS }: TicketOptions,
): Proxy | undefined {
  const { job, secrets } = demand;
  if (!job.vomsProxy) return undefined;
  checkProxy(demand);
  const given = secrets!.environment;
  const fileOf = (name: string) => path.join(secretsFolder(attemptFolder), "files", name);
  const folder = makeSecretsFolder(attemptFolder, "proxy");
  const file = "x509up_proxy";
  const made = path.join(folder, `${file}.new`);
  const named = given[FILE_SECRET]?.trim();
  if (named !== undefined) {
    const command = ["install", "-m", "600", "--", fileOf(named), made];
    return { folder, file, command, input: "/dev/null", renewalSeconds: 0, source: named };
  }
  const vo = given[VO_SECRET]!.trim().toLowerCase();
  const passphrase = Buffer.from(given[PASSPHRASE_SECRET]!.trim(), "base64").toString();
  const settings = CONFIGURATION_VARIABLES.flatMap((name) =>
    environment[name] === undefined ? [] : [`${name}=${environment[name]}`],
  );
  const words = ["--voms", vo, "--cert", fileOf(CERTIFICATE_SECRET), "--key", fileOf(KEY_SECRET)];
  return {
    folder,
    file,
    command: ["env", ...settings, programOf(), "--quiet", ...words, "--pwstdin", "--out", made],
    input: writeInSecrets(attemptFolder, "passphrase", passphrase),
    renewalSeconds: ticketRenewalSeconds,
    source: vo,
  };
}

/**
 * Returns the words for an attempt with a proxy (slot.sh). Programs refuse a proxy of another user: `owner` is the user
 * of a container whose files belong to somebody else than the server.
 */
export function proxyWords(proxy: Proxy, owner: number | undefined): readonly string[] {
  const { folder, file, command, input, renewalSeconds, source } = proxy;
  const place = [path.join(folder, file), String(owner ?? ""), input, String(renewalSeconds), source];
  return ["proxied", ...place, String(command.length), ...command];
}
