import { createHash } from "node:crypto";

/** Maximum length of a text compared verbatim. Longer texts are compared by digest. */
const TEXT_MAX = 1000;

/** Returns the text to record and compare: a short text as is, or the SHA-256 of a long text. */
export function comparableText(text: string): string {
  return text.length <= TEXT_MAX ? text : createHash("sha256").update(text).digest("hex");
}
