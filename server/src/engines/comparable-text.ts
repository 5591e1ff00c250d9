import { createHash } from "node:crypto";

/** Longer texts are compared by their digests. */
const TEXT_MAX = 1000;

/** Returns a text that is recorded and compared in place of another: the text itself, or the SHA-256 of a long one. */
export function comparableText(text: string): string {
  return text.length <= TEXT_MAX ? text : createHash("sha256").update(text).digest("hex");
}
