import { createHash, createHmac } from "node:crypto";
import type { S3Keys } from "#sources/data/credentials";

export type S3Query = readonly (readonly [name: string, value: string])[];

/** A request to an S3 service, before it is signed. */
export interface S3Request {
  readonly method: string;
  /** With the port, if it is not the default one: the `Host` header. */
  readonly host: string;
  /** Encoded by `encodedKey`. */
  readonly path: string;
  /** Names and values as they are, not encoded. */
  readonly query: S3Query;
  /** In lower case. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const EMPTY_SHA256 = createHash("sha256").digest("hex");

/** Signs a request as the AWS Signature Version 4 says, and returns all headers of the signed request. */
export function signedHeaders(
  request: S3Request,
  { accessKey, secretKey, sessionToken }: S3Keys,
  { region, at }: { readonly region: string; readonly at: Date },
): Record<string, string> {
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const headers: Record<string, string> = {
    "x-amz-content-sha256": EMPTY_SHA256,
    ...request.headers,
    host: request.host,
    "x-amz-date": time,
    ...(sessionToken !== undefined && { "x-amz-security-token": sessionToken }),
  };
  const names = Object.keys(headers).toSorted();
  const canonical = [
    request.method,
    request.path,
    encodedQuery(request.query),
    ...names.map((name) => `${name}:${headers[name]!.trim().replaceAll(/ +/g, " ")}`),
    "",
    names.join(";"),
    headers["x-amz-content-sha256"],
  ].join("\n");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const toSign = [ALGORITHM, time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = scope.split("/").reduce<Buffer | string>((by, part) => hmac(by, part), `AWS4${secretKey}`);
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const authorization = `${ALGORITHM} Credential=${accessKey}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** Encodes a key for the path of a request, byte by byte, as S3 does when it checks a signature. */
export function encodedKey(key: string): string {
  return key.split("/").map(encoded).join("/");
}

/** Encodes a query, sorted as the signature demands. */
export function encodedQuery(query: S3Query): string {
  const pairs = query.map(([name, value]) => [encoded(name), encoded(value)] as const);
  return pairs
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
