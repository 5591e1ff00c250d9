import { createHash } from "node:crypto";
import { maybeShortText, SHORT_TEXT_BYTES_MAX } from "#plumbing/text/short-text";

export interface OutputContent {
  readonly bytes: number;
  readonly sha256: string;
  /** The content, if it is a short line of text. */
  readonly text?: string;
}

/** Reads an output once and returns its checksum and short text, for a comparison. */
export async function contentOf(chunks: AsyncIterable<Uint8Array>): Promise<OutputContent> {
  const hash = createHash("sha256");
  const first: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (bytes <= SHORT_TEXT_BYTES_MAX) first.push(chunk);
    bytes += chunk.length;
  }
  const text =
    bytes <= SHORT_TEXT_BYTES_MAX ? maybeShortText(Buffer.concat(first).toString("utf8")) : undefined;
  return { bytes, sha256: hash.digest("hex"), ...(text !== undefined && { text }) };
}
