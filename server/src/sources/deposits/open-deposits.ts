import { isIP } from "node:net";
import { Refusal } from "#plumbing/errors";
import { type ConnectionOptions, Connections } from "#sources/data/connections";
import { type DepositAccess, type DepositServer, openDepositServer } from "#sources/deposits/deposit-server";
import { type KeptCrates, openKeptCrates } from "#sources/deposits/kept-crates";
import { checkHost, DEPOSIT_WORDS, hostOf, resolveHost, systemResolve } from "#sources/resolve-host";

/** The servers on which runs are published, and the crates that are being deposited. */
export interface Deposits {
  readonly crates: KeptCrates;
  /** Refuses an address that must not be asked, as far as this is known without a network. */
  check(root: string): Promise<void>;
  open(access: DepositAccess): DepositServer;
}

export interface DepositOptions extends Pick<ConnectionOptions, "resolve" | "silenceMs"> {
  /** Holds the crates on their way. */
  readonly folder: string;
  /** Hosts allowed over plain HTTP, and at a private address. */
  readonly privateHosts: readonly string[];
}

export function openDeposits({ folder, privateHosts, ...more }: DepositOptions): Deposits {
  const rules = { httpHosts: privateHosts, privateHosts };
  const connections = new Connections({ ...more, ...rules, words: DEPOSIT_WORDS });
  return {
    crates: openKeptCrates(folder),
    async check(root) {
      const host = hostOf(new URL(root));
      checkHost(host, rules, DEPOSIT_WORDS);
      if (isIP(host.host) !== 0) await resolveHost(host, rules, systemResolve, DEPOSIT_WORDS);
    },
    open: (access) => openDepositServer(connections, access),
  };
}

const NAMED: Readonly<Record<string, string>> = {
  zenodo: "https://zenodo.org",
  "zenodo-sandbox": "https://sandbox.zenodo.org",
};

/** Secrets with the tokens of known servers. No other server gets them. */
const SECRETS: Readonly<Record<string, string>> = {
  "https://zenodo.org": "ZENODO_TOKEN",
  "https://sandbox.zenodo.org": "ZENODO_SANDBOX_TOKEN",
};

/** Returns the server that a user names by a word or an address, and the secret with the token for the server. */
export function depositTarget(
  to: string,
  secret: string | undefined,
): { readonly root: string; readonly secret: string } {
  const url = URL.parse(Object.hasOwn(NAMED, to) ? NAMED[to]! : to);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new Refusal(
      "malformed",
      `"${to}" is not a place to publish: give zenodo, zenodo-sandbox, or the address of a server with InvenioRDM's API.`,
    );
  const root = url.href.replace(/\/+$/, "");
  const own = SECRETS[root];
  if (secret === undefined && own === undefined)
    throw new Refusal(
      "malformed",
      `The token for ${url.host} is unknown: store it as a secret, and name the secret.`,
    );
  const named = secret ?? own!;
  const bound = Object.entries(SECRETS).find(([, name]) => name === named);
  if (bound && bound[0] !== root)
    throw new Refusal(
      "malformed",
      `The secret ${named} is for ${new URL(bound[0]).host}, and not sent to ${url.host}.`,
    );
  return { root, secret: named };
}
