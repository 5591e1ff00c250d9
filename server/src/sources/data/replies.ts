import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { codeOf, Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";
import { printable } from "#plumbing/text/printable";
import { type Connections, type DataRequest, faultOf, type Target } from "#sources/data/connections";

const ERROR_TEXT_MAX = 64 * 1024;
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The purpose of a request, as the beginning of a sentence: `s3://bucket/key could not be fetched`. */
interface Purpose {
  readonly prefix: string;
}

/** Sends a request. A fault of the connection begins with the purpose of the request. */
export async function sent(
  connections: Connections,
  target: Target,
  { prefix, ...request }: DataRequest & Purpose,
): Promise<IncomingMessage> {
  try {
    return await connections.send(target, request);
  } catch (error) {
    if (error instanceof Refusal && codeOf(error.cause) !== "EAI_AGAIN")
      throw new Refusal(error.kind, `${prefix}: ${error.message}`, { cause: error });
    throw faultOf(error, request.signal, prefix);
  }
}

/** Returns the error for a reply that is not a success: a `PassingFault` if another attempt may succeed. */
export async function errorOf(
  reply: IncomingMessage,
  prefix: string,
  describe: (reply: IncomingMessage, body: string) => string,
): Promise<PassingFault | Refusal> {
  const { statusCode = 0 } = reply;
  const sentence = `${prefix}: ${describe(reply, await errorTextOf(reply))}`;
  if (isPassing(statusCode)) return new PassingFault(sentence, { retryAfterMs: retryAfterMs(reply) });
  return new Refusal(
    statusCode === 404 ? "absent" : statusCode === 403 ? "forbidden" : "malformed",
    sentence,
  );
}

/** Reads the beginning of an error's text. A reply that breaks off is as good as an empty one. */
async function errorTextOf(reply: IncomingMessage): Promise<string> {
  try {
    return await text(beginningOf(reply, ERROR_TEXT_MAX));
  } catch {
    return "";
  } finally {
    reply.destroy();
  }
}

async function* beginningOf(reply: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer, void> {
  let left = maxBytes;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** Yields the body of a reply. A connection that breaks off is a fault that may pass. */
export async function* readable(
  reply: IncomingMessage,
  signal: AbortSignal,
  prefix: string,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* reply as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw faultOf(error, signal, prefix);
  }
}

export function webFault(reply: IncomingMessage): string {
  return (
    `the server returned the status ${reply.statusCode} ${printable(reply.statusMessage ?? "", 100)}`.trim() +
    "."
  );
}

/** Returns the code and the sentence of an S3 service. */
export function s3Fault(reply: IncomingMessage, body: string): string {
  const [, code] = /<Code>([^<]+)<\/Code>/.exec(body) ?? [];
  const [, message] = /<Message>([^<]+)<\/Message>/.exec(body) ?? [];
  if (code === undefined) return webFault(reply);
  const words = message === undefined ? code : `${code}: ${message.replace(/\.$/, "")}`;
  return `${printable(words, 400)} (status ${reply.statusCode}).`;
}

/** Returns whether a later request may succeed where a server has returned this status. */
export function isPassing(status: number): boolean {
  return PASSING_STATUSES.has(status);
}

/** Reads the header `Retry-After` in seconds. A date is ignored: the clocks may differ. */
export function retryAfterMs({ headers }: Pick<IncomingMessage, "headers">): number | undefined {
  const header = headers["retry-after"];
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}
