import type { IncomingMessage } from "node:http";
import type { Clock } from "#plumbing/clock";
import type { Connections, Target } from "#sources/data/connections";
import { s3KeysOf } from "#sources/data/credentials";
import { sent } from "#sources/data/replies";
import { encodedKey, encodedQuery, type S3Query, signedHeaders } from "#sources/data/s3-signature";
import { hostOf } from "#sources/resolve-host";
import type { DataPlace } from "#workflow/data-source";

export interface S3Options {
  readonly clock: Clock;
  /** The default S3 service. */
  readonly s3Endpoint: string;
  readonly s3Region: string;
}

/** The body of a request, which can be sent again. */
export interface Outgoing {
  readonly bytes: number;
  readonly sha256: string;
  chunks(): AsyncIterable<Uint8Array>;
}

/** A request to an S3 service. */
export interface S3Call {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  readonly place: Omit<DataPlace, "address">;
  readonly secret: Buffer | undefined;
  readonly bucket: string;
  /** Empty for a request about the bucket. */
  readonly key: string;
  readonly query?: S3Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Outgoing;
  /** Beginning of the sentence about a failure. */
  readonly prefix: string;
  readonly signal: AbortSignal;
}

const AMAZON = /(^|\.)amazonaws\.com$/;

/** Sends requests to S3 services. Signed requests follow no redirect; a wrong region is corrected once. */
export class S3Requests {
  readonly #connections: Connections;
  readonly #options: S3Options;
  /** Regions that services have named, by bucket and endpoint. */
  readonly #regions = new Map<string, string>();

  constructor(connections: Connections, options: S3Options) {
    this.#connections = connections;
    this.#options = options;
  }

  async send(call: S3Call): Promise<IncomingMessage> {
    const { place, bucket } = call;
    const service = `${bucket} ${place.endpoint ?? ""}`;
    const region = place.region ?? this.#regions.get(service) ?? this.#options.s3Region;
    const reply = await this.#sendTo(call, region);
    const actual = reply.headers["x-amz-bucket-region"];
    const isElsewhere = [301, 307, 400].includes(reply.statusCode ?? 0) && typeof actual === "string";
    if (!isElsewhere || actual === region || place.region !== undefined) return reply;
    reply.destroy();
    this.#regions.set(service, actual);
    return this.#sendTo(call, actual);
  }

  #sendTo(call: S3Call, region: string): Promise<IncomingMessage> {
    const { method, query = [], body, prefix, signal } = call;
    const { target, host } = s3Target(call.place.endpoint ?? this.#options.s3Endpoint, { ...call, region });
    const headers = this.#headersOf(call, { host, path: target.path, region });
    const path = query.length > 0 ? `${target.path}?${encodedQuery(query)}` : target.path;
    const request = { method, headers, body: body?.chunks(), signal, prefix };
    return sent(this.#connections, { ...target, path }, request);
  }

  #headersOf(
    { method, place, secret, query = [], headers = {}, body }: S3Call,
    { host, path, region }: { readonly host: string; readonly path: string; readonly region: string },
  ): Readonly<Record<string, string>> {
    const length = { ...(body && { "content-length": String(body.bytes) }) };
    if (!secret || place.credentials === undefined) return { ...headers, ...length };
    const digest = body && { "x-amz-content-sha256": body.sha256 };
    const signed = signedHeaders(
      { method, host, path, query, headers: { ...headers, ...digest } },
      s3KeysOf(place.credentials, secret),
      { region, at: new Date(this.#options.clock.now()) },
    );
    return { ...signed, ...length };
  }
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
  const base = url.pathname.replace(/\/$/, "") + (inHost ? "" : `/${bucket}`);
  const path = key === "" && !inHost ? base : `${base}/${encodedKey(key)}`;
  return { target: { ...hostOf(url), path }, host: url.host };
}
