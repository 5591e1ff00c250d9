import { createHash } from "node:crypto";
import { createGunzip } from "node:zlib";
import { Refusal } from "#plumbing/errors";
import { shortSize } from "#plumbing/text/human-size";
import { checkEntries } from "#plumbing/zip/check-entries";
import { chunksOf, inflated, LOCAL_SIGNATURE, type PackedFile, readZip } from "#plumbing/zip/zip-reader";

/** A file inside a zip or a gzip. */
export interface PackedContent {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Limits on the content, unpacked. */
interface ContentLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
}

const HEAD_BYTES = 4;
const GZIP_SIGNATURE = 0x1f8b;

/**
 * Yields the files inside a zip or a gzip, and nothing for any other file. Each is streamed once and kept nowhere.
 * Throws a refusal if the archive is damaged, exceeds the limits, or holds names that lead out of a folder.
 */
export async function* packedContents(
  file: PackedFile,
  name: string,
  limits: ContentLimits,
): AsyncGenerator<PackedContent> {
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  const kind = maybeKind(head.subarray(0, bytesRead));
  if (kind === "zip") yield* filesInZip(file, limits);
  if (kind === "gzip") yield await fileInGzip(file, name, limits);
}

/** Returns true if a file that begins with these bytes is a zip or a gzip. */
export function isPacked(head: Buffer): boolean {
  return maybeKind(head) !== undefined;
}

function maybeKind(head: Buffer): "zip" | "gzip" | undefined {
  if (head.length < HEAD_BYTES) return undefined;
  if (head.readUInt32LE(0) === LOCAL_SIGNATURE) return "zip";
  return head.readUInt16BE(0) === GZIP_SIGNATURE ? "gzip" : undefined;
}

async function* filesInZip(
  file: PackedFile,
  { maxFiles, maxBytes }: ContentLimits,
): AsyncGenerator<PackedContent> {
  const entries = checkEntries(await readZip(file, { maxEntries: maxFiles }), { maxFiles, what: "zip" });
  const total = [...entries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > maxBytes) throw tooLarge(maxBytes);
  // The reader throws if an entry is longer than declared.
  for (const [name, entry] of entries) yield { name, ...(await digestOf(entry.content(), maxBytes)) };
}

async function fileInGzip(
  file: PackedFile,
  name: string,
  { maxBytes }: ContentLimits,
): Promise<PackedContent> {
  const { size } = await file.stat();
  const damaged = (cause: unknown) => new Refusal("malformed", "The gzip is damaged.", { cause });
  const content = inflated(chunksOf(file, 0, size), createGunzip(), damaged);
  return { name: unpackedName(name), ...(await digestOf(content, maxBytes)) };
}

function unpackedName(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  return last.replace(/\.t?gz$/i, (suffix) => (suffix.toLowerCase() === ".tgz" ? ".tar" : ""));
}

async function digestOf(
  content: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest("hex") };
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal("too-large", `It holds more than ${shortSize(maxBytes)}, unpacked.`);
}
