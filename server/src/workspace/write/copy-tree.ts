import { type BigIntStats, constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open, readlink, stat, symlink, utimes } from "node:fs/promises";
import path from "node:path";
import { codeOf, isDiskFull, Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import { UNSURE_STAMP } from "#workflow/job/file-stamps";
import { copyContents } from "#workspace/write/copy-contents";
import { notPermitted } from "#workspace/read/open-file";
import { HAS_PROC, isNotPermitted, type SystemPath } from "#workspace/safe-path";
import { stampOf } from "#workspace/read/stamps";
import { type Entry, walk } from "#workspace/find/walk";

export interface CopyRequest {
  /** Returns whether a file is left out. */
  readonly isLeftOut: (path: string) => boolean;
  /** True if folders are copied only for the sake of files in them. Otherwise empty folders are copied, too. */
  readonly leavesOutEmptyFolders?: boolean | undefined;
  /** Aborts the copy, even within a large file; the caller then removes the partial copy. */
  readonly signal: AbortSignal;
  /** True if the owner may write to every copy, even if the original is read-only. */
  readonly makesWritable?: true;
}

export interface TreeCopy {
  readonly files: number;
  readonly bytes: number;
  /** The stamps of each original and its copy, by path. Undefined if there are more than 10,000 files. */
  readonly stamps: Readonly<Record<string, StampPair>> | undefined;
}

export type StampPair = readonly [original: string, copy: string];

const STAMPS_MAX = 10_000;
const AT_ONCE = 8;
const OWNER_WRITES = 0o200;
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Copies a workspace that is not being written to into an empty folder of the server: contents, permissions and times
 * of files, and links as links, never followed. A file is a clone if the file system can share blocks (Btrfs, XFS,
 * bcachefs); otherwise it is copied.
 */
export async function copyTree(source: string, target: string, request: CopyRequest): Promise<TreeCopy> {
  const stamps: [path: string, pair: StampPair][] = [];
  let [files, bytes] = [0, 0];
  for await (const batch of walk(source, { onGap: refuseGap })) {
    const wanted = batch.filter(({ name, kind }) => kind !== "folder" && !request.isLeftOut(name));
    const folders = request.leavesOutEmptyFolders
      ? wanted.map((entry) => path.dirname(targetOf(target, entry)))
      : batch.filter(({ kind }) => kind === "folder").map((folder) => targetOf(target, folder));
    for (const folder of new Set(folders)) await mkdir(folder, { recursive: true });
    for (let from = 0; from < wanted.length; from += AT_ONCE) {
      if (request.signal.aborted) throw brokenOff();
      const group = wanted.slice(from, from + AT_ONCE);
      const copied = await Promise.all(
        group.map((entry) => copyEntry(entry, targetOf(target, entry), request)),
      );
      for (const [index, one] of copied.entries()) {
        files += 1;
        bytes += one.bytes;
        if (stamps.length <= STAMPS_MAX && one.pair) stamps.push([group[index]!.name, one.pair]);
      }
    }
  }
  return { files, bytes, stamps: stamps.length > STAMPS_MAX ? undefined : Object.fromEntries(stamps) };
}

/** Returns the place of an entry in the copy. Refuses a name that is not UTF-8, because it would change in the copy. */
function targetOf(target: string, { name }: Entry): string {
  if (name.includes("\uFFFD"))
    throw new Refusal(
      "malformed",
      `The file name ${printable(name, 200)} is not UTF-8: rename the file first.`,
    );
  return path.join(target, ...name.split("/"));
}

interface Copied {
  readonly bytes: number;
  readonly pair: StampPair | undefined;
}

type Manner = Pick<CopyRequest, "signal" | "makesWritable">;

/** Copies one file or link. A link is never followed. */
export async function copyEntry({ name, kind, at }: Entry, target: string, manner: Manner): Promise<Copied> {
  try {
    if (kind === "file") return await copyOne({ name, at }, target, manner);
    await symlink(await readlink(at, { encoding: "buffer" }), target);
    return { bytes: 0, pair: undefined };
  } catch (error) {
    if (manner.signal.aborted) throw brokenOff();
    if (isDiskFull(error)) throw noRoom(error);
    if (isNotPermitted(error)) throw notPermitted(name, error);
    if (["ENOENT", "ELOOP", "ENXIO"].includes(codeOf(error) ?? "")) throw changed(name, error);
    throw error;
  }
}

async function copyOne(
  { name, at }: Pick<Entry, "name" | "at">,
  target: string,
  { signal, makesWritable }: Manner,
): Promise<Copied> {
  const handle = await open(at, OPEN_FILE);
  try {
    const before = await handle.stat({ bigint: true });
    if (!before.isFile()) throw changed(name);
    await copyContents(sourceOf(handle, at), target, { bytes: Number(before.size), signal });
    await finish(target, before, makesWritable ? OWNER_WRITES : 0);
    const after = await handle.stat({ bigint: true });
    if (before.ctimeNs !== after.ctimeNs || before.size !== after.size) throw changed(name);
    const pair = [stampOf(before), stampOf(await stat(target, { bigint: true }))] as const;
    return { bytes: Number(before.size), pair: pair.includes(UNSURE_STAMP) ? undefined : pair };
  } finally {
    await handle.close();
  }
}

/** Addresses the file by its open descriptor, in case the name has been replaced by a link. */
function sourceOf(handle: FileHandle, at: SystemPath): SystemPath {
  return HAS_PROC ? `/proc/self/fd/${handle.fd}` : at;
}

/** Sets the times, which say when the content was made, and the mode without its setuid, setgid and sticky bits. */
async function finish(
  target: string,
  { mode, atimeNs, mtimeNs }: BigIntStats,
  extraMode: number,
): Promise<void> {
  await chmod(target, Number(mode & 0o777n) | extraMode);
  await utimes(target, Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9);
}

function refuseGap({ name, why }: { readonly name: string; readonly why: string }): never {
  if (why === "not-permitted") throw notPermitted(name, undefined);
  throw new Refusal("malformed", `${printable(name, 200)} is nested too deeply to be copied.`);
}

function changed(name: string, cause?: unknown): Refusal {
  const sentence = `${printable(name, 200)} was changed while it was copied. Try again when no files are being changed.`;
  return new Refusal("conflict", sentence, { cause });
}

function brokenOff(): Refusal {
  const sentence =
    "The copy was cancelled: the server is shutting down. Nothing was kept of the copy. Try again.";
  return new Refusal("unavailable", sentence);
}

function noRoom(cause: unknown): Refusal {
  const sentence =
    "The workspace was not copied: the disk of the workspaces is full. Nothing was kept of the copy. Free some space.";
  return new Refusal("no-space", sentence, { cause });
}
