import { createHmac } from "node:crypto";
import { isIP } from "node:net";
import { attempt } from "#notifications/attempt";
import type { Message } from "#notifications/message";
import type { Clock } from "#plumbing/clock";
import { codeOf, messageOf } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { loadRequest } from "#sources/load-request";
import { pinnedTo } from "#sources/pinned-to";
import { isPublicAddress } from "#sources/public-address";
import { hostOf, isListed, type Resolve, systemResolve } from "#sources/resolve-host";

/**
 * Sends messages to webhooks, signed as the specification of Standard Webhooks says (standardwebhooks.com). A receiver
 * is reached as a Git address is: over https, and at an address that is public and was checked, unless a setting allows
 * its host. Redirects are not followed, and of the reply only the status is read.
 */

export interface WebhookRules {
  /** Hosts that may be reached over plain HTTP, and at a private address. */
  readonly privateHosts: readonly string[];
  readonly resolve?: Resolve;
}

const LIMIT_MS = 10_000;
const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Makes a key for the signatures of a webhook, in the form that libraries of Standard Webhooks take. */
export function makeWebhookSecret(random: Random): string {
  return SECRET_PREFIX + random.bytes(SECRET_BYTES).toString("base64");
}

/** Returns why no message may be sent to this address, as far as it can be said without the network. */
export function maybeForbidden(url: URL, { privateHosts }: WebhookRules): string | undefined {
  const { isHttps, host, port } = hostOf(url);
  if (isListed(privateHosts, host, port)) return undefined;
  if (!isHttps)
    return "it is plain http. Give the https address, or ask the administrator to allow the host (--webhook-private-hosts)";
  return isIP(host) !== 0 && !isPublicAddress(host) ? NOT_PUBLIC : undefined;
}

const NOT_PUBLIC =
  "it is a private or local address. Give a public one, or ask the administrator to allow the host (--webhook-private-hosts)";

export interface WebhookRequest {
  readonly url: URL;
  readonly secret: string;
  readonly message: Message;
}

interface WebhookContext {
  readonly clock: Clock;
  readonly rules: WebhookRules;
}

/** Sends a message once. Returns the problem in a sentence, or undefined if the receiver has accepted it. */
export function sendWebhook(
  { clock, rules }: WebhookContext,
  wanted: WebhookRequest,
  stopping: AbortSignal,
): Promise<string | undefined> {
  return attempt({
    clock,
    limitMs: LIMIT_MS,
    stopping,
    explain: (error) => `The receiver could not be reached: ${codeOf(error) ?? messageOf(error)}.`,
    async send(signal) {
      const address = await checkedAddress(wanted.url, rules);
      if (typeof address === "object") return `The receiver may not be reached: ${address.problem}.`;
      signal.throwIfAborted();
      return problemOfStatus(await post(wanted, address, clock.now(), signal));
    },
  });
}

/** Resolves the host name, checks all addresses, and returns the first. */
async function checkedAddress(url: URL, rules: WebhookRules): Promise<string | { readonly problem: string }> {
  const problem = maybeForbidden(url, rules);
  if (problem !== undefined) return { problem };
  const { host, port } = hostOf(url);
  const addresses = isIP(host) === 0 ? await (rules.resolve ?? systemResolve)(host) : [host];
  const [first] = addresses;
  if (first === undefined) return { problem: "its host has no address" };
  const isAllowed = isListed(rules.privateHosts, host, port) || addresses.every(isPublicAddress);
  return isAllowed ? first : { problem: NOT_PUBLIC };
}

/** Returns the status of the reply. */
async function post(
  { url, secret, message }: WebhookRequest,
  address: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const headers = webhookHeaders({ secret, message }, nowMs);
  const send = await loadRequest(url.protocol);
  return new Promise((resolve, reject) => {
    const request = send(url, {
      ...pinnedTo(address),
      method: "POST",
      agent: false,
      signal,
      headers: {
        ...headers,
        "content-length": Buffer.byteLength(message.body),
        "user-agent": "reprise",
      },
    });
    request.once("response", (reply) => {
      resolve(reply.statusCode ?? 0);
      reply.on("error", () => undefined);
      reply.destroy();
    });
    request.on("error", reject);
    request.end(message.body);
  });
}

/** Returns the headers by which a receiver checks a message. */
export function webhookHeaders(
  { secret, message: { id, body } }: Omit<WebhookRequest, "url">,
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`,
  };
}

function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key).update(content).digest("base64");
}

function problemOfStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400)
    return `The receiver redirects (${status}), and redirects are not followed. Give the final address.`;
  return `The receiver returned the status ${status}.`;
}
