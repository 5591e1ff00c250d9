import { createHash } from "node:crypto";
import { type BigIntStats, closeSync, fstatSync, readSync } from "node:fs";
import { codeOf } from "#plumbing/errors";
import { UNSURE_STAMP } from "#workflow/job/file-stamps";
import { maybeHoldBelow } from "#workspace/comparison/held-folder";
import { stampOf } from "#workspace/read/stamps";

export interface Hashed {
  readonly sha256: string | null;
  /** `UNSURE_STAMP` if the file changed while it was read. */
  readonly stamp: string;
}

/** Large enough for few calls, small enough to stay in the processor's cache. */
const CHUNK_BYTES = 256 << 10;

/** Reads one file synchronously. Returns undefined if the file is gone or unreadable. */
export function maybeHash(folder: string, name: string): Hashed | undefined {
  try {
    const file = maybeOpenBelow(folder, name.split("/"));
    return file === undefined ? undefined : hashOpen(file);
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

function hashOpen(file: number): Hashed | undefined {
  try {
    const before = fstatSync(file, { bigint: true });
    if (!before.isFile()) return undefined;
    const sha256 = sha256Of(file);
    return isUntouched(before, fstatSync(file, { bigint: true }))
      ? { sha256, stamp: stampOf(before) }
      : { sha256: null, stamp: UNSURE_STAMP };
  } finally {
    closeSync(file);
  }
}

function sha256Of(file: number): string {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
    hash.update(buffer.subarray(0, read));
  }
  return hash.digest("hex");
}

function isUntouched(one: BigIntStats, other: BigIntStats): boolean {
  return one.size === other.size && one.ctimeNs === other.ctimeNs;
}
