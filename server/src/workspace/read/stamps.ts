import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "#plumbing/errors";
import { FOLDER_STAMP, type InputStamp, UNSURE_STAMP } from "#workflow/job/file-stamps";
import { cleanPath, type SystemPath } from "#workspace/safe-path";
import { type Entry, walk } from "#workspace/find/walk";

/**
 * A record of what a workspace looks like, to detect later changes without reading any contents: a stamp for each path.
 * The stamp includes the change time, which neither a job nor a person can set.
 */
export interface WorkspaceStamps {
  /** Stamps by path. */
  readonly stamps: Readonly<Record<string, string>>;
  /** The latest change time of any file; 0 if there are no files. */
  readonly newestMs: number;
}

/**
 * The replacement character. A name that is not UTF-8 contains it in place of the invalid bytes, so the name
 * is ambiguous.
 */
export const REPLACED = "\uFFFD";
const SECOND_NS = 1_000_000_000n;
/** A stamp of a file holds inode, size, time of modification and time of change. */
const STAMP_PARTS = 4;
/** Larger files are compared by their stamp alone. */
const HASHED_MAX_BYTES = 64 * 2 ** 20;
/** Limit for all inputs of a run together: read in about a second. */
const HASHED_MAX_BYTES_IN_ALL = 2 ** 30;

/**
 * Returns undefined if there are more entries, or an unreadable one, because partial stamps would prove no
 * equality.
 */
export async function maybeStamps(folder: string, maxEntries: number): Promise<WorkspaceStamps | undefined> {
  return maybeStampsOfFew(folder, Math.min(maxEntries, FEW_ENTRIES)) ?? stampsByWalking(folder, maxEntries);
}

/** Up to 16 files are looked at synchronously, which is faster than a switch to another thread. */
const FEW_ENTRIES = 16;

/** Stamps a workspace with few files and no folder synchronously; returns undefined for any other. */
function maybeStampsOfFew(folder: string, maxEntries: number): WorkspaceStamps | undefined {
  try {
    const names = lstatSync(folder).isDirectory() ? readdirSync(folder) : undefined;
    if (!names || names.length > maxEntries || names.some((name) => name.includes(REPLACED)))
      return undefined;
    const stats = names.map((name) => lstatSync(join(folder, name), { bigint: true }));
    if (!stats.every((stat) => stat.isFile())) return undefined;
    return {
      stamps: Object.fromEntries(names.map((name, index) => [name, stampOf(stats[index]!)])),
      newestMs: Math.max(0, ...stats.map(changedMsOf)),
    };
  } catch {
    // Falls back to the walk, which decides about the error.
    return undefined;
  }
}

async function stampsByWalking(folder: string, maxEntries: number): Promise<WorkspaceStamps | undefined> {
  const stamps: [path: string, stamp: string][] = [];
  let [count, newestMs, hasGap] = [0, 0, false];
  for await (const batch of walk(folder, { onGap: () => (hasGap = true) })) {
    count += batch.length;
    if (hasGap || count > maxEntries || batch.some(({ name }) => name.includes(REPLACED))) return undefined;
    for (const { name, stamp, changedMs } of await Promise.all(batch.map(stampEntry))) {
      stamps.push([name, stamp]);
      newestMs = Math.max(newestMs, changedMs);
    }
  }
  return hasGap ? undefined : { stamps: Object.fromEntries(stamps), newestMs };
}

/** Stamps each existing path and, for folders, all files below. Sorted by path. */
export async function maybeInputStamps(
  folder: string,
  paths: readonly string[],
  maxEntries: number,
  sha256Of: (name: string) => Promise<string>,
): Promise<InputStamp[] | undefined> {
  const inputs = new Map<string, InputStamp>();
  let leftBytes = HASHED_MAX_BYTES_IN_ALL;
  let hasGap = false;
  for (const path of paths) {
    for await (const batch of walk(folder, { start: cleanPath(path), onGap: () => (hasGap = true) })) {
      for (const entry of batch.filter(({ kind }) => kind !== "folder")) {
        if (hasGap || inputs.size >= maxEntries || entry.name.includes(REPLACED)) return undefined;
        const { bytes, ...seen } = await stampEntry(entry);
        const isRead = entry.kind === "file" && bytes <= Math.min(HASHED_MAX_BYTES, leftBytes);
        if (isRead) leftBytes -= bytes;
        inputs.set(entry.name, isRead ? await read(entry, sha256Of) : { ...input(seen), sha256: null });
      }
    }
  }
  if (hasGap) return undefined;
  return [...inputs.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function input({ name, stamp }: { readonly name: string; readonly stamp: string }) {
  return { path: name, stamp };
}

/** A file or a link, as it was at the time of the check. */
export interface StampedFile {
  readonly path: string;
  readonly kind: "file" | "link";
  readonly stamp: string;
  readonly changedMs: number;
}

export function stampedFile(path: string, kind: StampedFile["kind"], stat: BigIntStats): StampedFile {
  return { path, kind, stamp: stampOf(stat), changedMs: changedMsOf(stat) };
}

/** Stamps a file, or each file below a folder, sorted by path. Undefined if they are too many, or one is hidden. */
export async function maybeStampsAt(
  folder: string,
  path: string,
  maxEntries: number,
): Promise<StampedFile[] | undefined> {
  const found: StampedFile[] = [];
  let hasGap = false;
  for await (const batch of walk(folder, { start: cleanPath(path), onGap: () => (hasGap = true) })) {
    const files = batch.filter(({ kind }) => kind !== "folder");
    if (hasGap || found.length + files.length > maxEntries) return undefined;
    if (files.some(({ name }) => name.includes(REPLACED))) return undefined;
    for (const entry of files) {
      const { name, stamp, changedMs } = await stampEntry(entry);
      found.push({ path: name, kind: entry.kind as "file" | "link", stamp, changedMs });
    }
  }
  return hasGap ? undefined : found.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/**
 * Reads one input. A file that changes during the read gets no stamp, because the content read has no valid
 * stamp.
 */
async function read(entry: Entry, sha256Of: (name: string) => Promise<string>): Promise<InputStamp> {
  const before = await stampEntry(entry);
  const sha256 = await sha256Of(entry.name);
  const after = await stampEntry(entry);
  const stamp = before.stamp === after.stamp ? after.stamp : UNSURE_STAMP;
  return { path: entry.name, stamp, sha256 };
}

export interface StampedEntry {
  readonly name: string;
  readonly stamp: string;
  readonly changedMs: number;
  readonly bytes: number;
}

export async function stampEntry({ name, kind, at }: Entry): Promise<StampedEntry> {
  if (kind === "folder") return { name, stamp: FOLDER_STAMP, changedMs: 0, bytes: 0 };
  const stat = await maybeStat(at);
  if (!stat) return { name, stamp: UNSURE_STAMP, changedMs: 0, bytes: 0 };
  return { name, stamp: stampOf(stat), changedMs: changedMsOf(stat), bytes: Number(stat.size) };
}

/**
 * Returns the stamp of a file. If the file system keeps times in whole seconds, a file can change and look the same:
 * then the stamp is unsure.
 */
export function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  if (ctimeNs % SECOND_NS === 0n) return UNSURE_STAMP;
  return [ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join("-");
}

/** Returns the size that a stamp holds. Undefined for a stamp of anything but a file. */
export function bytesOfStamp(stamp: string): number | undefined {
  const parts = stamp.split("-");
  return parts.length === STAMP_PARTS ? Number.parseInt(parts[1]!, 36) : undefined;
}

/** Returns the time of the last change that a stamp holds. Undefined for a stamp of anything but a file. */
export function changedMsOfStamp(stamp: string): number | undefined {
  const parts = stamp.split("-");
  // A time in nanoseconds has more digits than a double: the rounding is far below a millisecond.
  return parts.length === STAMP_PARTS ? Number.parseInt(parts[3]!, 36) / 1_000_000 : undefined;
}

function changedMsOf({ ctimeNs }: BigIntStats): number {
  return Number(ctimeNs / 1_000_000n);
}

async function maybeStat(at: SystemPath) {
  try {
    return await lstat(at, { bigint: true });
  } catch (error) {
    if (["ENOENT", "EACCES"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
