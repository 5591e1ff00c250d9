import { buffer } from "node:stream/consumers";
import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ClientRequest, IncomingMessage } from "node:http";
import { messageOf, Refusal } from "#plumbing/errors";
import { loadRequest } from "#sources/load-request";
import { pinnedTo } from "#sources/pinned-to";
import {
  checkHost,
  DOCUMENT_WORDS,
  hostOf,
  type HostRules,
  type Resolve,
  resolveHost,
  systemResolve,
} from "#sources/resolve-host";

/**
 * Reads documents from the web, for workflows that name them. Guarantees:
 * - connects only to hosts that `checkHost` and `resolveHost` allow, at the addresses that were checked, without
 *   credentials; each redirect is checked in the same way;
 * - limits bytes, and time by the signal.
 */
export interface DocumentSource {
  /** Returns the text at an address that starts with `http`. Throws a refusal if the download fails. */
  fetch(address: string, maxBytes: number, signal: AbortSignal): Promise<string>;
}

export interface DocumentSourceOptions extends HostRules {
  readonly resolve?: Resolve;
}

/** Allows any host, over http or https, for addresses named by the user of this machine. */
export const ANY_HOST = "any-host";
type AllowedHosts = DocumentSourceOptions | typeof ANY_HOST;

const REDIRECTS_MAX = 5;

export function openDocumentSource(allowed: AllowedHosts): DocumentSource {
  return {
    async fetch(address, maxBytes, signal) {
      const { reply, url } = await openAddress(allowed, address, signal);
      return textOf(reply, url, maxBytes);
    },
  };
}

/** Copies what is at an address into a new file. Throws a `Refusal`. */
export async function fetchFile(
  address: string,
  {
    file,
    maxBytes,
    signal,
  }: { readonly file: string; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<void> {
  const { reply, url } = await openAddress(ANY_HOST, address, signal);
  try {
    await pipeline(
      reply,
      limited(maxBytes, tooLarge(url, maxBytes)),
      createWriteStream(file, { flags: "wx" }),
    );
  } catch (error) {
    throw refusalFor(error, url, signal);
  }
}

interface Opened {
  readonly reply: IncomingMessage;
  /** The final address after redirects. */
  readonly url: URL;
}

async function openAddress(allowed: AllowedHosts, address: string, signal: AbortSignal): Promise<Opened> {
  let url = new URL(address);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const reply = await open(allowed, url, signal);
    const target = redirectOf(reply);
    if (target === undefined) return { reply: successful(reply, url), url };
    reply.destroy();
    url = locationFrom(target, url);
  }
  throw refusal(url, `it was redirected more than ${REDIRECTS_MAX} times`);
}

async function open(allowed: AllowedHosts, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const pinned = allowed === ANY_HOST ? {} : await checkedAddress(allowed, url);
  signal.throwIfAborted();
  const send = await loadRequest(url.protocol);
  const request = send(url, {
    ...pinned,
    agent: false,
    signal,
    headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "reprise" },
  });
  try {
    return await replyTo(request);
  } catch (error) {
    throw refusalFor(error, url, signal);
  }
}

async function checkedAddress(options: DocumentSourceOptions, url: URL) {
  const place = hostOf(url);
  checkHost(place, options, DOCUMENT_WORDS);
  const [address = ""] = await resolveHost(place, options, options.resolve ?? systemResolve, DOCUMENT_WORDS);
  return pinnedTo(address);
}

function replyTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
    request.end();
  });
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

function locationFrom(target: string, url: URL): URL {
  const next = URL.canParse(target, url.href) ? new URL(target, url) : undefined;
  if (next && /^https?:$/.test(next.protocol)) return next;
  throw refusal(url, "it was redirected to something that is no http or https address");
}

function successful(reply: IncomingMessage, url: URL): IncomingMessage {
  if (reply.statusCode === 200) return reply;
  reply.destroy();
  throw refusal(url, `the server returned the status ${reply.statusCode}`);
}

async function textOf(reply: IncomingMessage, url: URL, maxBytes: number): Promise<string> {
  const stream = limited(maxBytes, tooLarge(url, maxBytes, " that are left for documents"));
  reply.on("error", (error) => stream.destroy(error));
  try {
    return (await buffer(Readable.from(reply.pipe(stream)))).toString("utf8");
  } catch (error) {
    throw error instanceof Refusal ? error : refusal(url, messageOf(error), error);
  } finally {
    reply.destroy();
  }
}

/** Passes on at most that many bytes. More are an error. */
function limited(maxBytes: number, error: Refusal): Transform {
  let left = maxBytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? error : null, chunk);
    },
  });
}

function tooLarge(url: URL, maxBytes: number, which = ""): Refusal {
  return refusal(url, `it is larger than the ${maxBytes} bytes${which}`);
}

/** Returns what to throw for an error of a request: the reason of the signal, or a sentence with the address. */
function refusalFor(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return error instanceof Refusal ? error : refusal(url, messageOf(error), error);
}

function refusal(url: URL, why: string, cause?: unknown): Refusal {
  return new Refusal("malformed", `${url.origin}${url.pathname} could not be read: ${why}.`, { cause });
}
