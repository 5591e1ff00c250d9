import { createHash } from "node:crypto";

/** Longer lines would make the table wider than a terminal. */
const TEXT_LENGTH_MAX = 40;

export interface OutputContent {
  readonly bytes: number;
  readonly sha256: string;
  /** The content, if that is one short line of text. */
  readonly text?: string;
}

/** Reads an output once and returns its checksum and short text, for a comparison. */
export async function contentOf(chunks: AsyncIterable<Uint8Array>): Promise<OutputContent> {
  const hash = createHash("sha256");
  const first: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (bytes <= 4 * TEXT_LENGTH_MAX) first.push(chunk);
    bytes += chunk.length;
  }
  const text = bytes <= 4 * TEXT_LENGTH_MAX ? maybeShortText(Buffer.concat(first)) : undefined;
  return { bytes, sha256: hash.digest("hex"), ...(text !== undefined && { text }) };
}

function maybeShortText(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8").trimEnd();
  const isText = text !== "" && text.length <= TEXT_LENGTH_MAX && !/[\p{C}\ufffd]/u.test(text);
  return isText ? text : undefined;
}
