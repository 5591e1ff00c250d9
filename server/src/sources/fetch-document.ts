import { buffer } from "node:stream/consumers";
import { Readable, Transform } from "node:stream";
import type { ClientRequest, IncomingMessage } from "node:http";
import { messageOf, Refusal } from "#plumbing/errors";
import { loadRequest } from "#sources/load-request";
import { pinnedTo } from "#sources/pinned-to";
import {
  checkHost,
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
  /** Returns the text at an address that starts with `http`. Refuses an address that gives none, with a sentence. */
  fetch(address: string, maxBytes: number, signal: AbortSignal): Promise<string>;
}

export interface DocumentSourceOptions extends HostRules {
  readonly resolve?: Resolve;
}

const REDIRECTS_MAX = 5;
const WHAT = "Documents";

export function openDocumentSource(options: DocumentSourceOptions): DocumentSource {
  return {
    async fetch(address, maxBytes, signal) {
      let url = new URL(address);
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
        const reply = await open(options, url, signal);
        const target = redirectOf(reply);
        if (target === undefined) return textOf(reply, url, maxBytes);
        reply.destroy();
        url = locationFrom(target, url);
      }
      throw refusal(url, `it was redirected more than ${REDIRECTS_MAX} times`);
    },
  };
}

async function open(options: DocumentSourceOptions, url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const place = hostOf(url);
  checkHost(place, options, WHAT);
  const [address = ""] = await resolveHost(place, options, options.resolve ?? systemResolve, "documents");
  signal.throwIfAborted();
  const send = await loadRequest(url);
  const request = send(url, {
    ...pinnedTo(address),
    agent: false,
    signal,
    headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "reprise" },
  });
  try {
    return await replyTo(request);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw refusal(url, messageOf(error), error);
  }
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

async function textOf(reply: IncomingMessage, url: URL, maxBytes: number): Promise<string> {
  if (reply.statusCode !== 200) {
    reply.destroy();
    throw refusal(url, `the server returned the status ${reply.statusCode}`);
  }
  let left = maxBytes;
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? tooLarge(url, maxBytes) : null, chunk);
    },
  });
  reply.on("error", (error) => limited.destroy(error));
  try {
    return (await buffer(Readable.from(reply.pipe(limited)))).toString("utf8");
  } catch (error) {
    throw error instanceof Refusal ? error : refusal(url, messageOf(error), error);
  } finally {
    reply.destroy();
  }
}

function tooLarge(url: URL, maxBytes: number): Refusal {
  return refusal(url, `it is larger than the ${maxBytes} bytes that are left for documents`);
}

function refusal(url: URL, why: string, cause?: unknown): Refusal {
  return new Refusal("malformed", `${url.origin}${url.pathname} could not be read: ${why}.`, { cause });
}
