import { createDecipheriv, createHash } from "node:crypto";

const IV_BYTES = 16;

/**
 * Decrypts a token of REANA's database: AES in CBC mode, with the SHA-256 of the secret key as its key and the first half of
 * that key as the initial vector. Throws if the key is another one.
 */
export function openToken(sealed: string, secretKey: string): string {
  const key = createHash("sha256").update(secretKey).digest();
  const decipher = createDecipheriv("aes-256-cbc", key, key.subarray(0, IV_BYTES));
  return Buffer.concat([decipher.update(sealed, "base64"), decipher.final()]).toString("utf8");
}
