import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { archiveEntries, type ArchiveEntry } from "#backends/container/archive-entries";
import { ImageProblem } from "#backends/container/images";
import { hasParentSegment, plainPath } from "#plumbing/files/relative-path";
import { printable } from "#plumbing/text/printable";

/**
 * Refuses an archive of images that leads out of its own folder. Podman 4.3 unpacks archives into a folder by itself, and
 * follows the links that it has made there. It unpacks the layers inside an archive safely.
 */
export async function checkArchive(file: string): Promise<void> {
  const links = new Set<string>();
  for await (const entry of archiveEntries(await unpacked(file))) {
    if (leadsOut(entry, links))
      throw new ImageProblem(`its entry ${printable(entry.name, 200)} leads out of the archive`);
    if (entry.kind === "link") links.add(plainPath(entry.name));
  }
}

function leadsOut({ kind, name, target }: ArchiveEntry, links: ReadonlySet<string>): boolean {
  if (isOutside(name) || passes(name, links)) return true;
  if (kind === "hard link") return isOutside(target) || passes(target, links);
  return kind === "link" && (target.startsWith("/") || isOutside(path.posix.join(name, "..", target)));
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

async function unpacked(file: string): Promise<AsyncIterable<Buffer>> {
  const magic = await firstBytes(file, 4);
  const packed = createReadStream(file);
  if (magic.startsWith(GZIP)) return packed.compose(createGunzip());
  return magic === ZSTD ? packed.compose(createZstdDecompress()) : packed;
}

/** Returns the first bytes in hexadecimal digits. */
async function firstBytes(file: string, count: number): Promise<string> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(count), 0, count, 0);
  return buffer.toString("hex");
}
