import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpProblem } from "#api/http/reply/http-problem";
import { isForm } from "#api/http/request/upload-body";
import { Refusal } from "#plumbing/errors";
import { parseJson } from "#plumbing/formats/json";

/** Time limit for a JSON body: longer than an honest client needs, and short enough to end a connection that drips. */
const MAX_JSON_MS = 120_000;

/**
 * Registers the reading of bodies, which is liberal: JSON under any content type but multipart, an empty body and
 * `null` as no body, an upload under any content type or none. An endpoint that takes no body ignores one.
 */
export function readBodies(app: FastifyInstance, maxJsonBytes: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => {
    const { route } = request.routeOptions.config;
    if (route?.upload || (route?.form && isForm(request.raw.headers))) return done(null, payload);
    if (!route?.schema.body) return done(null, undefined);
    readJson(request, payload, maxJsonBytes).then(
      (body) => done(null, body),
      (error: unknown) => done(error as Error),
    );
  });
  // REANA's clients send JSON with GET.
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  app.addHttpMethod("HEAD", { hasBody: true, overrideExisting: true });
}

/**
 * Replaces an unusable content type. Otherwise the framework refuses the request before routing, also a QUERY
 * without a content type.
 */
export function acceptAnyContentType(request: FastifyRequest): void {
  const { headers, method } = request.raw;
  const type = headers["content-type"] ?? (method === "QUERY" ? "" : undefined);
  if (type !== undefined && !CONTENT_TYPE.test(type)) headers["content-type"] = "application/octet-stream";
}

const CONTENT_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

async function readJson(request: FastifyRequest, payload: Readable, maxBytes: number): Promise<unknown> {
  const type = request.raw.headers["content-type"] ?? "";
  const tooLarge = () =>
    new Refusal("too-large", `The body is longer than ${maxBytes} bytes, the maximum for JSON.`);
  if (Number(request.raw.headers["content-length"]) > maxBytes) throw tooLarge();
  const body = await readAll(payload, maxBytes, tooLarge);
  if (body.length === 0) return undefined;
  if (type.toLowerCase().startsWith("multipart/"))
    throw new HttpProblem(415, "The body is multipart, but JSON is expected here.");
  const text = decode(body);
  if (request.routeOptions.config.route?.takesUrlForm && type.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(text));
  return text.trim() === "" ? undefined : (parseJson(text) ?? undefined);
}

/** Shared by all bodies, because making a decoder costs as much as parsing a small body. */
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

function decode(body: Buffer): string {
  try {
    return UTF_8.decode(body);
  } catch (error) {
    throw new Refusal("malformed", "The body is not valid JSON: it is not UTF-8 text.", { cause: error });
  }
}

function readAll(payload: Readable, maxBytes: number, tooLarge: () => Refusal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const tooSlow = () =>
      new HttpProblem(408, `The body was not complete after ${MAX_JSON_MS / 1000} seconds.`);
    const fail = (error: Error) => {
      clearTimeout(timer);
      payload.removeListener("data", take);
      payload.pause();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) fail(tooLarge());
    };
    const timer = setTimeout(() => fail(tooSlow()), MAX_JSON_MS);
    payload.on("data", take);
    payload.once("error", fail);
    payload.once("end", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks, size));
    });
  });
}
