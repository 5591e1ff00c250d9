import { isUtf8 } from "node:buffer";
import { type BigIntStats, closeSync, fstatSync, readSync } from "node:fs";
import type { Algorithm } from "#workflow/job/job";
import { type HeldFolder, maybeHoldBelow } from "#workspace/comparison/held-folder";
import type { FolderListing, FolderRequest } from "#workspace/find/list-folder";
import { type Digested, digestOf } from "#workspace/read/digest-file";
import { REPLACED, type StampedFile, stampedFile } from "#workspace/read/stamps";
import { cleanPath } from "#workspace/safe-path";

/**
 * Looks at a few small files of a workspace synchronously. Most jobs leave one or two files, and a switch to
 * another thread costs ten times as much as the call itself. Each function returns undefined for more or
 * unexpected entries. The caller then uses the asynchronous function, which also reports errors.
 */
const FEW_ENTRIES = 16;
const SMALL_BYTES = 64 << 10;

/** Lists a folder that holds only a few regular files. */
export function maybeFewListed(
  folder: string,
  { name, after, maxEntries }: FolderRequest,
): FolderListing | undefined {
  if (name === "" || after !== undefined || maxEntries < FEW_ENTRIES) return undefined;
  const found = lookedAt(folder, name, filesIn);
  const entries = found?.map(({ path, stat }) => {
    return { name: path, kind: "file" as const, bytes: Number(stat.size) };
  });
  return entries && { entries, isCut: false, hasGap: false };
}

/** Stamps a file, or the files of such a folder. Sorted by path. */
export function maybeFewStamps(folder: string, name: string): StampedFile[] | undefined {
  const found = lookedAt(folder, name, (parent, last, path) => {
    const stat = parent.maybeStat(last);
    return stat?.isFile() ? [{ path, stat }] : stat && filesIn(parent, last, path);
  });
  return found?.map(({ path, stat }) => stampedFile(path, "file", stat));
}

/** Reads a small file and returns its digest. */
export function maybeSmallDigest(folder: string, name: string, algorithm: Algorithm): Digested | undefined {
  const content = lookedAt(folder, name, (parent, last) => {
    const file = parent.maybeOpen(last);
    return file === undefined ? undefined : contentOf(file);
  });
  return content && { bytes: content.length, digest: digestOf(content, algorithm) };
}

function lookedAt<Result>(
  folder: string,
  name: string,
  look: (parent: HeldFolder, last: Buffer, clean: string) => Result | undefined,
): Result | undefined {
  const clean = cleanPath(name);
  const components = clean.split("/").map((one) => Buffer.from(one));
  const last = components.pop()!;
  try {
    const parent = maybeHoldBelow(folder, components);
    return parent && closing(parent, () => look(parent, last, clean));
  } catch {
    return undefined;
  }
}

interface FoundFile {
  readonly path: string;
  readonly stat: BigIntStats;
}

function filesIn(parent: HeldFolder, last: Buffer, clean: string): FoundFile[] | undefined {
  const folder = parent.maybeEnter(last);
  return folder && closing(folder, () => filesOf(folder, clean));
}

function filesOf(folder: HeldFolder, clean: string): FoundFile[] | undefined {
  const found: FoundFile[] = [];
  for (const { name, kind } of folder.entries(FEW_ENTRIES)) {
    const stat = kind === "file" && isUtf8(name) ? folder.maybeStat(name) : undefined;
    if (!stat?.isFile() || name.includes(REPLACED)) return undefined;
    found.push({ path: `${clean}/${name.toString()}`, stat });
  }
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function contentOf(file: number): Buffer | undefined {
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > SMALL_BYTES) return undefined;
    const content = Buffer.alloc(stat.size);
    let at = 0;
    for (let read = 1; at < content.length && read > 0; at += read)
      read = readSync(file, content, { offset: at });
    return at === content.length ? content : undefined;
  } finally {
    closeSync(file);
  }
}

function closing<Result>(folder: HeldFolder, work: () => Result): Result {
  try {
    return work();
  } finally {
    folder.close();
  }
}
