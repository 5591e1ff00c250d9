import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type Clock } from "#plumbing/clock";
import { codeOf, Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";
import { printable } from "#plumbing/text/printable";
import { type ConnectionOptions, Connections, faultOf, type Target } from "#sources/data/connections";
import { authorizationOf, s3KeysOf } from "#sources/data/credentials";
import { encodedKey, signedHeaders } from "#sources/data/s3-signature";
import { hostOf } from "#sources/resolve-host";
import { bucketAndKey, type RemoteInput, shownAddress } from "#workflow/specification/remote-inputs";

/** What is asked of an address: the content from a position on, unless the content is still the known one. */
export interface DataQuestion {
  readonly input: Pick<RemoteInput, "address" | "credentials" | "endpoint" | "region">;
  /** The value of the secret that the input names. */
  readonly secret: Buffer | undefined;
  /** The validator of the content that is known. */
  readonly knownAs?: string | undefined;
  /** Position and validator of a broken download. */
  readonly from?: { readonly bytes: number; readonly validator: string } | undefined;
  readonly signal: AbortSignal;
}

/** The answer of an address. */
export type DataAnswer =
  | { readonly kind: "unchanged" }
  /** The content is not the one to continue. Ask for the whole. */
  | { readonly kind: "changed" }
  | {
      readonly kind: "content";
      /** Position of the first byte. */
      readonly from: number;
      /** Size of the whole content, if it is known. */
      readonly bytes: number | undefined;
      /** Changes with the content. Undefined if the server gives none. */
      readonly validator: string | undefined;
      /** The checksum that the server states. */
      readonly sha256: string | undefined;
      readonly chunks: AsyncIterable<Uint8Array>;
    };

/** Reads data from addresses: `https://…` and `s3://…`. */
export interface DataSource {
  /**
   * Asks an address. Throws a `PassingFault` if another attempt may succeed, and a `Refusal` with the words of the
   * other side if not. No message holds credentials or the query of an address.
   */
  ask(question: DataQuestion): Promise<DataAnswer>;
}

export interface DataSourceOptions extends ConnectionOptions {
  readonly clock: Clock;
  /** The default S3 service. */
  readonly s3Endpoint: string;
  readonly s3Region: string;
}

const REDIRECTS_MAX = 5;
const ERROR_TEXT_MAX = 64 * 1024;
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
const AMAZON = /(^|\.)amazonaws\.com$/;

export function openDataSource(options: DataSourceOptions): DataSource {
  const connections = new Connections(options);
  return {
    ask: (question) =>
      /^s3:/i.test(question.input.address)
        ? askS3(connections, options, question)
        : askWeb(connections, question),
  };
}

/** Follows redirects. Only the first host receives the credentials. */
async function askWeb(connections: Connections, question: DataQuestion): Promise<DataAnswer> {
  const { secret, signal, input } = question;
  let url = new URL(input.address);
  const first = url.origin;
  const prefix = prefixOf(input.address);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const headers = {
      accept: "*/*",
      ...conditionsOf(question),
      ...(secret && url.origin === first && { authorization: authorizationOf(secret) }),
    };
    const target = { ...hostOf(url), path: url.pathname + url.search };
    const reply = await sent(connections, target, { headers, signal, prefix });
    const location = locationOf(reply);
    if (location === undefined) return answerOf(reply, question, webFault);
    reply.destroy();
    if (!URL.canParse(location, url.href) || !/^https?:$/.test(new URL(location, url).protocol))
      throw refusal(`${prefix}: it was redirected to something that is not an http or https address.`);
    url = new URL(location, url);
  }
  throw refusal(`${prefix}: it was redirected more than ${REDIRECTS_MAX} times.`);
}

/** Asks an S3 service. Signed requests follow no redirect; a wrong region is corrected once. */
async function askS3(
  connections: Connections,
  options: DataSourceOptions,
  question: DataQuestion,
): Promise<DataAnswer> {
  const { input, signal } = question;
  const prefix = prefixOf(input.address);
  let region = input.region ?? options.s3Region;
  for (let isCorrected = false; ; isCorrected = true) {
    const { target, headers } = s3Request(options, question, region);
    const reply = await sent(connections, target, { headers, signal, prefix });
    const actual = reply.headers["x-amz-bucket-region"];
    const isElsewhere = [301, 307, 400].includes(reply.statusCode ?? 0) && typeof actual === "string";
    if (!isElsewhere || actual === region || isCorrected || input.region !== undefined)
      return answerOf(reply, question, s3Fault);
    reply.destroy();
    region = actual;
  }
}

function s3Request(options: DataSourceOptions, question: DataQuestion, region: string) {
  const { input, secret } = question;
  const { bucket, key } = bucketAndKey(input.address)!;
  const { target, host } = s3Target(input.endpoint ?? options.s3Endpoint, { bucket, key, region });
  const headers = { "x-amz-checksum-mode": "ENABLED", ...conditionsOf(question) };
  if (!secret || input.credentials === undefined) return { target, headers };
  const signed = signedHeaders(
    { method: "GET", host, path: target.path, query: [], headers },
    s3KeysOf(input.credentials, secret),
    { region, at: new Date(options.clock.now()) },
  );
  return { target, headers: signed };
}

/**
 * Returns where an object is. The bucket is the first part of the host if the endpoint says so by `{bucket}`, and at
 * Amazon; otherwise it is the first part of the path.
 */
function s3Target(
  endpoint: string,
  { bucket, key, region }: { readonly bucket: string; readonly key: string; readonly region: string },
): { readonly target: Target; readonly host: string } {
  const url = new URL(endpoint.replace("{bucket}", bucket).replace("{region}", region));
  let inHost = endpoint.includes("{bucket}");
  if (AMAZON.test(url.hostname) && !inHost && !bucket.includes(".")) {
    url.hostname =
      url.hostname === "s3.amazonaws.com"
        ? `${bucket}.s3.${region}.amazonaws.com`
        : `${bucket}.${url.hostname}`;
    inHost = true;
  }
  const base = url.pathname.replace(/\/$/, "");
  const path = `${base}${inHost ? "" : `/${bucket}`}/${encodedKey(key)}`;
  return { target: { ...hostOf(url), path }, host: url.host };
}

function conditionsOf({ knownAs, from }: DataQuestion): Record<string, string> {
  if (from) return { range: `bytes=${from.bytes}-`, "if-range": from.validator };
  if (knownAs === undefined) return {};
  return isTag(knownAs) ? { "if-none-match": knownAs } : { "if-modified-since": knownAs };
}

/** Tells an entity tag from a time. */
function isTag(validator: string): boolean {
  return /^(W\/)?"/.test(validator);
}

interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly prefix: string;
}

async function sent(
  connections: Connections,
  target: Target,
  { headers, signal, prefix }: Sending,
): Promise<IncomingMessage> {
  try {
    return await connections.send(target, { method: "GET", headers, signal });
  } catch (error) {
    if (error instanceof Refusal && codeOf(error.cause) !== "EAI_AGAIN")
      throw new Refusal(error.kind, `${prefix}: ${error.message}`, { cause: error });
    throw faultOf(error, signal, prefix);
  }
}

function locationOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

async function answerOf(
  reply: IncomingMessage,
  question: DataQuestion,
  describe: (reply: IncomingMessage, body: string) => string,
): Promise<DataAnswer> {
  const { statusCode = 0 } = reply;
  if (statusCode === 304 && question.knownAs !== undefined) {
    reply.resume();
    return { kind: "unchanged" };
  }
  if (question.from && (statusCode === 412 || statusCode === 416)) {
    reply.destroy();
    return { kind: "changed" };
  }
  if (statusCode === 200 || (statusCode === 206 && question.from)) return contentOf(reply, question);
  const sentence = `${prefixOf(question.input.address)}: ${describe(reply, await errorTextOf(reply))}`;
  if (PASSING_STATUSES.has(statusCode))
    throw new PassingFault(sentence, { retryAfterMs: retryAfterMs(reply.headers["retry-after"]) });
  throw refusal(sentence, statusCode === 404 ? "absent" : statusCode === 403 ? "forbidden" : "malformed");
}

function contentOf(reply: IncomingMessage, { from, input, signal }: DataQuestion): DataAnswer {
  const { headers } = reply;
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers["content-range"] ?? "") ?? [];
  const isPart = reply.statusCode === 206;
  const validator = headers.etag ?? headers["last-modified"];
  // Some servers ignore the condition of a range.
  if (isPart && validator !== from?.validator) {
    reply.destroy();
    return { kind: "changed" };
  }
  if (isPart && (Number(start) !== from?.bytes || total === undefined || total === "*")) {
    reply.destroy();
    throw new PassingFault(
      `${prefixOf(input.address)}: the server returned another part than the requested one.`,
    );
  }
  const length = isPart ? total : headers["content-length"];
  return {
    kind: "content",
    from: isPart ? Number(start) : 0,
    bytes: length === undefined ? undefined : Number(length),
    validator,
    sha256: statedSha256(reply),
    chunks: readable(reply, signal, prefixOf(input.address)),
  };
}

/** Returns the checksum of the whole object that an S3 service states. */
function statedSha256({ headers }: IncomingMessage): string | undefined {
  const stated = headers["x-amz-checksum-sha256"];
  if (typeof stated !== "string" || headers["x-amz-checksum-type"] === "COMPOSITE" || stated.includes("-"))
    return undefined;
  return Buffer.from(stated, "base64").toString("hex");
}

async function* readable(
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

/** Reads the beginning of an error's text. A reply that breaks off is as good as an empty one. */
async function errorTextOf(reply: IncomingMessage): Promise<string> {
  async function* beginning() {
    let left = ERROR_TEXT_MAX;
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) return;
    }
  }
  try {
    return await text(beginning());
  } catch {
    return "";
  } finally {
    reply.destroy();
  }
}

function webFault(reply: IncomingMessage): string {
  return (
    `the server returned the status ${reply.statusCode} ${printable(reply.statusMessage ?? "", 100)}`.trim() +
    "."
  );
}

/** Returns the code and the sentence of an S3 service. */
function s3Fault(reply: IncomingMessage, body: string): string {
  const [, code] = /<Code>([^<]+)<\/Code>/.exec(body) ?? [];
  const [, message] = /<Message>([^<]+)<\/Message>/.exec(body) ?? [];
  if (code === undefined) return webFault(reply);
  const words = message === undefined ? code : `${code}: ${message.replace(/\.$/, "")}`;
  return `${printable(words, 400)} (status ${reply.statusCode}).`;
}

/** Reads the header `Retry-After` in seconds. A date is ignored: the clocks may differ. */
function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function prefixOf(address: string): string {
  return `${shownAddress(address)} could not be fetched`;
}

function refusal(sentence: string, kind: Refusal["kind"] = "malformed"): Refusal {
  return new Refusal(kind, sentence);
}
