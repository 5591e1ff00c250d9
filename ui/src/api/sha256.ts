import { sha256 } from "@noble/hashes/sha2.js";

/** Short enough that the page answers to the keyboard in between. */
const STEP_BYTES = 1 << 20;

/**
 * Returns the checksum of a file in hexadecimal digits. The browser's own function needs the whole file in memory, and
 * exists only on secure pages.
 */
export async function sha256Of(file: Blob): Promise<string> {
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += STEP_BYTES) {
    hash.update(new Uint8Array(await file.slice(at, at + STEP_BYTES).arrayBuffer()));
  }
  return Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
