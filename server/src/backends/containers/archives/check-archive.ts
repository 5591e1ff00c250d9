import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { archiveEntries, type ArchiveEntry } from "#backends/containers/archives/archive-entries";
import { NO_TAR } from "#backends/containers/archives/archive-header";
import { ImageProblem } from "#backends/containers/image-problem";
import { hasParentSegment, plainPath } from "#plumbing/files/relative-path";
import { printable } from "#plumbing/text/printable";

/**
 * Refuses an image archive with an entry that points outside the archive. Podman 4.3 unpacks archives into a
 * folder by itself, and follows the links that it has made there. Podman unpacks the layers inside an archive
 * safely.
 */
export async function checkArchive(file: string): Promise<void> {
  const links = new Set<string>();
  for await (const entry of archiveEntries(unpacked(file))) {
    if (leadsOut(entry, links))
      throw new ImageProblem(`its entry ${printable(entry.name, 200)} points outside the archive`);
    if (entry.kind === "link") links.add(plainPath(entry.name));
  }
}

function leadsOut({ kind, name, target }: ArchiveEntry, links: ReadonlySet<string>): boolean {
  if (isOutside(name) || passes(name, links)) return true;
  if (kind === "hard link") return isOutside(target) || passes(target, links);
  return kind === "link" && linkLeadsOut(plainPath(name), target, links);
}

/**
 * Returns whether a link leads out. Its target may lead up only at its start: after a name, `..` leads to an unknown place
 * if that name is a link, now or later.
 */
function linkLeadsOut(name: string, target: string, links: ReadonlySet<string>): boolean {
  if (target.startsWith("/") || hasParentSegment(plainPath(target).replace(/^(\.\.\/)+/, ""))) return true;
  const place = path.posix.join(name, "..", target);
  return isOutside(place) || passes(place, links);
}

function isOutside(place: string): boolean {
  return place.startsWith("/") || hasParentSegment(place);
}

/** Returns whether the place, or a folder above it, is a link. */
function passes(place: string, links: ReadonlySet<string>): boolean {
  const parts = plainPath(place).split("/");
  return parts.some((_, index) => links.has(parts.slice(0, index + 1).join("/")));
}

const [GZIP, ZSTD] = ["1f8b", "28b52ffd"] as const;
/** First bytes of bzip2, xz, and a zstd frame to skip. Runtimes unpack these, although a tar may begin with them too. */
const OTHER_PACKED = /^(425a68|fd377a58|5.2a4d18)/;

/** Reads the archive, unpacked. Closes the file at the end, and if the reader stops early. */
async function* unpacked(file: string): AsyncGenerator<Buffer> {
  const unpacker = unpackerFor(await firstBytes(file, 4));
  const packed = createReadStream(file);
  // An error of either stream reaches the loop below.
  const plain: Readable = unpacker ? pipeline(packed, unpacker, () => undefined) : packed;
  try {
    yield* plain.iterator({ destroyOnReturn: false });
  } finally {
    packed.destroy();
    plain.destroy();
  }
}

function unpackerFor(magic: string): Transform | undefined {
  if (OTHER_PACKED.test(magic)) throw new ImageProblem(NO_TAR);
  if (magic.startsWith(GZIP)) return createGunzip();
  return magic === ZSTD ? createZstdDecompress() : undefined;
}

/** Returns the first bytes in hexadecimal digits. */
async function firstBytes(file: string, count: number): Promise<string> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(count), 0, count, 0);
  return buffer.toString("hex");
}
