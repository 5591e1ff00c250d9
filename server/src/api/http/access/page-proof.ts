import type { FastifyRequest } from "fastify";
import type { PageProof } from "#operations/users/page-proof";

/** Header with which the page sends its half of the session. Node spells names of headers in small letters. */
const PAGE_KEY = "reprise-page-key";

/** A signed address: the signature is the last parameter, and covers all text before it. */
const SIGNED = /^(\S*[?&]page_expires=(\d{1,12}))&page_signature=([0-9a-f]{64})$/;

/**
 * Returns the proof that the page of the session sent the request. A signature counts only for a GET of an endpoint
 * that takes one.
 */
export function maybePageProof({ raw, method, routeOptions }: FastifyRequest): PageProof | undefined {
  const key = raw.headers[PAGE_KEY];
  if (typeof key === "string" && key !== "") return { key };
  if (method !== "GET" || !routeOptions.config.route?.takesSignature) return undefined;
  const [, address, expires, signature] = SIGNED.exec(raw.url ?? "") ?? [];
  return address === undefined
    ? undefined
    : { address, expiresAtMs: Number(expires) * 1000, signature: signature! };
}
