import { createHmac } from "node:crypto";
import { hashToken } from "#operations/users/token-shape";
import { isSame } from "#plumbing/secrets/is-same";

/**
 * Proves that the request comes from the signed-in page: the page key, or a signature of a single address. A
 * session requires the proof because programs on other ports of the host also receive the cookie.
 */
export type PageProof = { readonly key: string } | SignedAddress;

/** An address that a browser follows by itself, for a download or a picture, when the page can add no header. */
export interface SignedAddress {
  /** Path and query as they were requested, without the signature. */
  readonly address: string;
  readonly expiresAtMs: number;
  readonly signature: string;
}

/**
 * Maximum time for a signed address. The page signs for one minute, and the page's clock may be a little
 * ahead.
 */
const MAX_LIFE_MS = 90_000;

/** Returns whether the proof belongs to the page key with this hash. */
export function isProven(proof: PageProof | undefined, keyHash: string | null, nowMs: number): boolean {
  if (proof === undefined || keyHash === null) return false;
  if ("key" in proof) return isSame(hashToken(proof.key), keyHash);
  const { address, expiresAtMs, signature } = proof;
  if (expiresAtMs <= nowMs || expiresAtMs > nowMs + MAX_LIFE_MS) return false;
  return isSame(signature, signatureOf(address, keyHash));
}

/** Signs a GET of the address. The page knows the hash of its key as well, so no other secret is stored or sent. */
export function signatureOf(address: string, keyHash: string): string {
  return createHmac("sha256", keyHash).update(`GET ${address}`).digest("hex");
}
