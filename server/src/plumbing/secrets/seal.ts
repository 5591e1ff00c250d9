import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "#plumbing/ids";
import { type Signature, signWith } from "#plumbing/secrets/certificate-key";

/** Encrypts short texts for storage, so that a copy of the database alone does not reveal them, and signs texts. */
export interface Seal {
  seal(text: string): string;
  /** Throws if the text was sealed with another key, or changed since. */
  open(sealed: string): string;
  sign(text: string): Signature;
}

export const SEAL_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Version prefix of a sealed text, for future formats. */
const VERSION = "1.";

/**
 * Seals with AES-256-GCM: the version, then base64url of nonce, tag and ciphertext. Opens what was sealed with the key or
 * with another one, because the key may be about to change.
 */
export function createSeal(key: Buffer, random: Random, others: readonly Buffer[] = []): Seal {
  const keys = [key, ...others];
  for (const { length } of keys) {
    if (length === SEAL_KEY_BYTES) continue;
    throw new Error(
      `The key for tokens has ${length} bytes instead of ${SEAL_KEY_BYTES}. Restore it from a backup.`,
    );
  }
  return {
    sign: (text) => signWith(key, text),
    seal(text) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
      const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64url");
    },
    open(sealed) {
      let cause: unknown;
      for (const one of keys) {
        try {
          return openWith(one, sealed);
        } catch (error) {
          cause ??= error;
        }
      }
      throw new Error(
        "A stored token cannot be read with this server's key: the database and its key belong together. " +
          "Restore the key from the same backup as the database.",
        { cause },
      );
    },
  };
}

function openWith(key: Buffer, sealed: string): string {
  if (!sealed.startsWith(VERSION)) throw new Error("It was sealed in an unknown way.");
  const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const encrypted = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString("utf8");
}
