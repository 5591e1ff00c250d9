import path from "node:path";
import { makeSecretsFolder, writeInSecrets } from "#backends/process/attempt/secret-files";
import { checkPresent, type Demand, refused } from "#backends/walls/demanded-secrets";
import { PROXY_VARIABLE } from "#backends/walls/grid/proxy";

/** REANA's names of the secrets. The two hosts are optional. */
const VO_SECRET = "VONAME";
const ACCOUNT_SECRET = "RUCIO_USERNAME";
const SERVER_SECRET = "RUCIO_RUCIO_HOST";
const AUTHENTICATION_SECRET = "RUCIO_AUTH_HOST";

/** The variable that leads Rucio's programs to their configuration. */
export const RUCIO_VARIABLE = "RUCIO_CONFIG";
/** The name of the configuration, as in REANA. */
const FILE = "rucio.cfg";

const DEMAND = "The step needs a configuration of Rucio (rucio: true)";

/** A value that is one word of the configuration. */
const WORD = /^[A-Za-z0-9][\w.@-]{0,254}$/;

/** The configuration of Rucio of one attempt. */
export interface Rucio {
  /** The folder on this machine that holds only the configuration. The folder is removed with the job's secrets. */
  readonly folder: string;
  readonly file: string;
}

/** Throws if the job needs a configuration, and a secret for it is absent or useless. */
export function checkRucio({ job, secrets }: Demand): void {
  if (!job.rucio) return;
  checkPresent(DEMAND, secrets, [
    { name: VO_SECRET, type: "env", holds: "the name of the virtual organisation" },
    { name: ACCOUNT_SECRET, type: "env", holds: "the name of the account in Rucio" },
  ]);
  const values = secrets!.environment;
  for (const name of [VO_SECRET, ACCOUNT_SECRET])
    if (!WORD.test(values[name]!.trim())) throw refused(DEMAND, `the secret ${name} cannot be a name`);
  for (const name of [SERVER_SECRET, AUTHENTICATION_SECRET]) {
    const value = values[name]?.trim();
    if (value !== undefined && !isAddress(value))
      throw refused(DEMAND, `the secret ${name} is not an address such as https://rucio.example.org`);
  }
}

function isAddress(value: string): boolean {
  return /^https?:\/\/[^\s%$]+$/.test(value) && URL.canParse(value);
}

/** Writes the job's configuration of Rucio. Returns undefined if the job needs none. */
export function maybeRucio(demand: Demand, attemptFolder: string): Rucio | undefined {
  if (!demand.job.rucio) return undefined;
  checkRucio(demand);
  const folder = makeSecretsFolder(attemptFolder, "rucio");
  writeInSecrets(attemptFolder, path.join("rucio", FILE), configuration(demand.secrets!.environment));
  return { folder, file: FILE };
}

/** Returns the configuration that REANA gives. Rucio puts the value of a variable in the place of its name. */
function configuration(secrets: Readonly<Record<string, string>>): string {
  const value = (name: string) => secrets[name]?.trim() ?? "";
  const vo = value(VO_SECRET);
  const prefix = vo === "atlas" ? "voatlas" : `${vo}-`;
  const server = vo === "atlas" ? "rucio-server-prod" : "rucio";
  const authentication = vo === "atlas" ? "rucio-auth-prod" : "rucio-auth";
  return [
    "[client]",
    `rucio_host = ${value(SERVER_SECRET) || `https://${prefix}${server}.cern.ch`}`,
    `auth_host = ${value(AUTHENTICATION_SECRET) || `https://${prefix}${authentication}.cern.ch`}`,
    "auth_type = x509_proxy",
    `account = ${value(ACCOUNT_SECRET)}`,
    `vo = ${vo}`,
    `client_x509_proxy = $${PROXY_VARIABLE}`,
    "request_retries = 3",
    "",
  ].join("\n");
}
