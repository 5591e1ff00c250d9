import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { pageKey } from "./page-key.ts";

/** Time for which a signed address can be followed. */
const LIFE_MS = 60_000;

/** The server's clock minus the browser's clock. The server's clock decides when an address expires. */
let aheadMs = 0;

/** Compares the clocks by a reply of the server. */
export function noteServerTime({ headers }: Response): void {
  const time = Date.parse(headers.get("date") ?? "");
  if (!Number.isNaN(time)) aheadMs = time - Date.now();
}

/**
 * Returns the address for a browser that follows it by itself, as for a download or a picture. Such a request has the
 * cookie but not the key of this page, so the address has a signature made with the key, for this address alone.
 * Computed here, because a click cannot wait for the server, and pages without TLS have no cryptography of the browser.
 */
export function signedAddress(address: string): string {
  const url = new URL(address, location.origin);
  url.searchParams.set("page_expires", String(Math.ceil((Date.now() + aheadMs + LIFE_MS) / 1000)));
  const signed = url.pathname + url.search;
  const key = utf8ToBytes(bytesToHex(sha256(utf8ToBytes(pageKey()))));
  const signature = bytesToHex(hmac(sha256, key, utf8ToBytes(`GET ${signed}`)));
  return `${signed}&page_signature=${signature}`;
}
