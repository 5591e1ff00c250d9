import type { IncomingMessage } from "node:http";
import { Refusal } from "#plumbing/errors";
import { PassingFault } from "#plumbing/passing-fault";
import { type ConnectionOptions, Connections } from "#sources/data/connections";
import { authorizationOf } from "#sources/data/credentials";
import { errorOf, readable, s3Fault, sent, webFault } from "#sources/data/replies";
import { listS3 } from "#sources/data/s3-listing";
import { type S3Options, S3Requests } from "#sources/data/s3-requests";
import { maybeS3Sha256, putS3 } from "#sources/data/s3-store";
import { hostOf } from "#sources/resolve-host";
import type { DataAnswer, DataQuestion, DataSource } from "#workflow/data-source";
import type { DataStore } from "#workflow/data-store";
import { bucketAndKey, isS3, isXrootd, shownAddress } from "#workflow/specification/remote-inputs";

export type DataSourceOptions = ConnectionOptions & S3Options;

const REDIRECTS_MAX = 5;

export function openDataSource(options: DataSourceOptions): DataSource & DataStore {
  const connections = new Connections(options);
  const requests = new S3Requests(connections, options);
  return {
    async ask(question) {
      const { address } = question.input;
      if (isS3(address)) return askS3(requests, question);
      if (!isXrootd(address)) return askWeb(connections, question);
      const { askXrootd } = await import("#sources/data/xrootd");
      return askXrootd(options, question);
    },
    list: (question) => listS3(requests, question),
    maybeSha256: (place) => maybeS3Sha256(requests, place),
    put: (place, content, tryAgain) => putS3(requests, place, content, tryAgain),
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
    const reply = await sent(connections, target, { method: "GET", headers, signal, prefix });
    const location = locationOf(reply);
    if (location === undefined) return answerOf(reply, question, webFault);
    reply.destroy();
    if (!URL.canParse(location, url.href) || !/^https?:$/.test(new URL(location, url).protocol))
      throw refusal(`${prefix}: it was redirected to something that is not an http or https address.`);
    url = new URL(location, url);
  }
  throw refusal(`${prefix}: it was redirected more than ${REDIRECTS_MAX} times.`);
}

async function askS3(requests: S3Requests, question: DataQuestion): Promise<DataAnswer> {
  const { input, secret, signal } = question;
  const reply = await requests.send({
    ...bucketAndKey(input.address)!,
    method: "GET",
    place: input,
    secret,
    headers: { "x-amz-checksum-mode": "ENABLED", ...conditionsOf(question) },
    prefix: prefixOf(input.address),
    signal,
  });
  return answerOf(reply, question, s3Fault);
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
  throw await errorOf(reply, prefixOf(question.input.address), describe);
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

function prefixOf(address: string): string {
  return `${shownAddress(address)} could not be fetched`;
}

function refusal(sentence: string): Refusal {
  return new Refusal("malformed", sentence);
}
