import { createHash } from "node:crypto";
import { type BigIntStats, closeSync, fstatSync, readSync } from "node:fs";
import { codeOf } from "#plumbing/errors";
import { ContentSketch } from "#plumbing/files/content-sketch";
import { isPacked } from "#plumbing/zip/packed-contents";
import { UNSURE_STAMP } from "#workflow/job/file-stamps";
import { maybeHoldBelow } from "#workspace/comparison/held-folder";
import { stampOf } from "#workspace/read/stamps";

export interface Hashed {
  readonly sha256: string | null;
  /** `UNSURE_STAMP` if the file changed while it was read. */
  readonly stamp: string;
  /** If it was asked for: the sketch of the content. */
  readonly sketch?: readonly string[];
  /** True if a sketch was asked for and the file is a zip or a gzip. */
  readonly isArchive?: boolean;
}

/** Large enough for few calls, small enough to stay in the processor's cache. */
const CHUNK_BYTES = 256 << 10;

/** Reads one file synchronously. Returns undefined if the file is gone or unreadable. */
export function maybeHash(folder: string, name: string, hasSketch: boolean): Hashed | undefined {
  try {
    const file = maybeOpenBelow(folder, name.split("/"));
    return file === undefined ? undefined : hashOpen(file, hasSketch);
  } catch (error) {
    if (codeOf(error) !== undefined) return undefined;
    throw error;
  }
}

function maybeOpenBelow(root: string, components: readonly string[]): number | undefined {
  const names = components.map((component) => Buffer.from(component));
  const folder = maybeHoldBelow(root, names.slice(0, -1));
  try {
    return folder?.maybeOpen(names.at(-1)!);
  } finally {
    folder?.close();
  }
}

function hashOpen(file: number, hasSketch: boolean): Hashed | undefined {
  try {
    const before = fstatSync(file, { bigint: true });
    if (!before.isFile()) return undefined;
    const content = hasSketch ? { sketch: new ContentSketch(), isArchive: false } : undefined;
    const sha256 = sha256Of(file, (piece, isFirst) => {
      content?.sketch.update(piece);
      if (content && isFirst) content.isArchive = isPacked(piece);
    });
    return isUntouched(before, fstatSync(file, { bigint: true }))
      ? { sha256, stamp: stampOf(before), ...(content && { ...content, sketch: content.sketch.digests() }) }
      : { sha256: null, stamp: UNSURE_STAMP };
  } finally {
    closeSync(file);
  }
}

function sha256Of(file: number, use: (piece: Buffer, isFirst: boolean) => void): string {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let isFirst = true;
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
    const piece = buffer.subarray(0, read);
    hash.update(piece);
    use(piece, isFirst);
    isFirst = false;
  }
  return hash.digest("hex");
}

function isUntouched(one: BigIntStats, other: BigIntStats): boolean {
  return one.size === other.size && one.ctimeNs === other.ctimeNs;
}
