import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

import { codeOf, Refusal } from "#plumbing/errors";
import { isPublicAddress } from "#sources/public-address";

/** Returns all addresses of a host from this machine's resolver. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/** A host to connect to. */
export interface Host {
  readonly isHttps: boolean;
  /** In lower case, without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

/** Returns the host to connect to for a request to this address. */
export function hostOf(url: URL): Host {
  const isHttps = url.protocol === "https:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return { isHttps, host, port: Number(url.port || (isHttps ? 443 : 80)) };
}

export interface HostRules {
  /** Hosts allowed over plain HTTP. */
  readonly httpHosts: readonly string[];
  /** Hosts allowed to have a private address. */
  readonly privateHosts: readonly string[];
}

/** The words of refusals. */
export interface HostWords {
  /** The subject of the message, at the beginning of a sentence. */
  readonly what: string;
  /** The plural noun, inside of a sentence. */
  readonly things: string;
  /** The verb for the use of an allowed host. Default: "read". */
  readonly done?: string;
  /** The settings that allow further hosts. */
  readonly httpSetting: string;
  readonly privateSetting: string;
}

const GIT_SETTINGS = { httpSetting: "--git-http-hosts", privateSetting: "--git-private-hosts" };
const GIT_WORDS: HostWords = { what: "Git repositories", things: "repositories", ...GIT_SETTINGS };
export const PROJECT_WORDS: HostWords = {
  what: "Projects of GitLab",
  things: "projects",
  ...GIT_SETTINGS,
};
export const DOCUMENT_WORDS: HostWords = { what: "Documents", things: "documents", ...GIT_SETTINGS };
export const INPUT_WORDS: HostWords = {
  what: "Inputs",
  things: "inputs",
  httpSetting: "--data-http-hosts",
  privateSetting: "--data-private-hosts",
};

export const DEPOSIT_WORDS: HostWords = {
  what: "Deposits",
  things: "deposits",
  done: "made",
  httpSetting: "--deposit-private-hosts",
  privateSetting: "--deposit-private-hosts",
};

/** Refuses a host that must not be connected to over plain HTTP. Makes no network request. */
export function checkHost(
  { isHttps, host, port }: Host,
  { httpHosts }: HostRules,
  { what, done = "read", httpSetting } = GIT_WORDS,
): void {
  if (isHttps || isListed(httpHosts, host, port)) return;
  throw new Refusal(
    "not-implemented",
    `${what} on ${host} are ${done} over https only: plain http is not allowed for this host. ` +
      `Give the https address, or ask the administrator to allow it (${httpSetting}).`,
  );
}

/**
 * Returns the addresses of a host, all of them checked. Connections must use these addresses: a second lookup
 * could differ.
 */
export async function resolveHost(
  { host, port }: Host,
  { privateHosts }: HostRules,
  resolve: Resolve,
  { things, done = "read", privateSetting } = GIT_WORDS,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await askResolver(host, resolve) : [host];
  if (isListed(privateHosts, host, port) || addresses.every(isPublicAddress)) return addresses;
  throw new Refusal(
    "not-implemented",
    `${host} is a private or local address, and ${things} there are not ${done}. ` +
      `Give a public one, or ask the administrator to allow this host (${privateSetting}).`,
  );
}

/**
 * Returns whether a setting lists this host. Entries are `host`, `host:port`, `[address]` or
 * `[address]:port`.
 */
export function isListed(list: readonly string[], host: string, port: number): boolean {
  const bracketed = host.includes(":") ? `[${host}]` : host;
  const names = [host, bracketed, `${bracketed}:${port}`];
  return list.some((entry) => names.includes(entry.toLowerCase()));
}

async function askResolver(host: string, resolve: Resolve): Promise<readonly string[]> {
  const addresses = await resolve(host).catch((error: unknown) => {
    const code = codeOf(error) ?? "no address";
    throw new Refusal("malformed", `The host ${host} could not be found (${code}). Check the address.`, {
      cause: error,
    });
  });
  const known = addresses.filter((address) => isIP(address) !== 0);
  if (known.length > 0) return known;
  throw new Refusal("malformed", `The host ${host} has no address. Check the address.`);
}
