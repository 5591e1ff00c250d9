import { lstatSync, mkdirSync } from "node:fs";
import { access, constants, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { Clock } from "#plumbing/clock";
import { copyFile } from "#plumbing/files/copy-file";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf, isDiskFull, messageOf, Refusal } from "#plumbing/errors";
import { modeOf } from "#plumbing/files/file-mode";
import type { Random } from "#plumbing/ids";
import { syncFolder } from "#plumbing/files/sync-folder";
import { noSpace } from "#workspace/write/disk-full";
import { receiveContent } from "#workspace/write/receive-content";
import {
  cleanPath,
  closing,
  DamagedWorkspace,
  type Folder,
  InTheWay,
  isNotPermitted,
  makeFolder,
  maybeLstat,
  maybeOpenRoot,
  walkToParent,
} from "#workspace/safe-path";

export interface WriteOptions {
  /** Folder of the workspace. */
  readonly folder: string;
  /** True if a missing folder is made. Otherwise it must exist. */
  readonly makesFolder: boolean;
  /** Called when the whole content has arrived, before the file gets its name. */
  readonly beforePublishing?: () => Promise<void>;
  /** A folder on the same file system, for incoming files. */
  readonly incomingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
  /** True if the file gets an execute bit. */
  readonly isExecutable?: boolean;
  /**
   * True if the caller does not need the chunks of the content afterwards. Each chunk is then freed once
   * written.
   */
  readonly ownsChunks?: boolean;
}

/**
 * Writes a file completely or not at all: the content goes into a file in another folder, which is then renamed into
 * the workspace. The path is checked before a long upload begins, and walked again after it.
 */
export async function writeFile(
  options: WriteOptions,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<{ path: string; bytes: number }> {
  const source = content instanceof Readable ? content : Readable.from(content);
  // The source may fail before reading starts. The sender reports the error, but without a listener the error
  // would end the process.
  source.on("error", () => undefined);
  const { fsync, isExecutable = false, ownsChunks = false } = options;
  const how = { mode: modeOf(isExecutable), fsync, ownsChunks };
  return writeWith(options, name, (incoming) => receiveContent(incoming, source, how));
}

/** Copies a file of this machine like `writeFile`. */
export function copyFileIn(
  options: WriteOptions & { readonly clock: Clock; readonly onBytes?: (count: number) => void },
  name: string,
  file: string,
): Promise<{ path: string; bytes: number }> {
  return writeWith(options, name, async (incoming) => {
    await refuseUnreadable(file);
    return copyFile(file, incoming, options);
  });
}

/** Refuses an unreadable source, because its error would otherwise look like an error of the workspace. */
async function refuseUnreadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    const why = isNotPermitted(error) ? "its permissions do not allow it" : messageOf(error);
    throw new Refusal("forbidden", `${file} cannot be read: ${why}.`, { cause: error });
  }
}

/** Writes a file like `writeFile`. `fill` creates the file at the given path and returns its size. */
export async function writeWith(
  options: WriteOptions,
  name: string,
  fill: (incoming: string) => Promise<number>,
): Promise<{ path: string; bytes: number }> {
  const clean = cleanPath(name);
  const incoming = path.join(options.incomingFolder, options.random.uuid());
  try {
    if (options.makesFolder) await makeWorkspace(options);
    await refuseEarly(options.folder, clean);
    const bytes = await fill(incoming);
    crashPoint("upload-received");
    await options.beforePublishing?.();
    await putInPlace(options, incoming, clean);
    return { path: clean, bytes };
  } catch (error) {
    await rm(incoming, { force: true });
    throw refusalOf(error, clean);
  }
}

/** Publishes a file that was received in another way on the same file system, completely or not at all. */
export async function publishFile(
  options: Pick<WriteOptions, "folder" | "fsync">,
  file: string,
  name: string,
): Promise<void> {
  const clean = cleanPath(name);
  try {
    await makeWorkspace(options);
    await putInPlace(options, file, clean);
  } catch (error) {
    throw refusalOf(error, clean);
  }
}

/** Refuses a place that a file cannot go to at present, before a long upload begins. Returns the clean path. */
export async function checkPlace(folder: string, name: string): Promise<string> {
  const clean = cleanPath(name);
  try {
    await refuseEarly(folder, clean);
    return clean;
  } catch (error) {
    throw refusalOf(error, clean);
  }
}

/**
 * Makes the folder of a workspace. Safe to call twice. Syncs even if the folder exists: its creator may not have synced
 * it yet, or never will. The same holds for the folders in it. Synchronous, because every run and every upload calls
 * it, and a switch of threads would cost more than the folder.
 */
export async function makeWorkspace({
  folder,
  fsync,
}: Pick<WriteOptions, "folder" | "fsync">): Promise<void> {
  const made = madeFolder(folder);
  if (made !== undefined) crashPoint("workspace-made");
  if (fsync) await syncFolder(path.dirname(folder));
}

function madeFolder(folder: string): string | undefined {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) throw new DamagedWorkspace();
  return mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Deletes incoming files left by a server that died while receiving. */
export async function clearIncoming(incomingFolder: string): Promise<void> {
  for (const name of await readdir(incomingFolder)) {
    await rm(path.join(incomingFolder, name), { recursive: true, force: true });
  }
}

async function refuseEarly(folder: string, clean: string): Promise<void> {
  const root = await maybeOpenRoot(folder);
  if (!root) return;
  try {
    const { parent, name } = await walkToParent(root, clean);
    await closing(parent, () => checkTarget(parent, name));
  } catch (error) {
    if (error instanceof InTheWay && error.kind === "absent") return;
    throw error;
  }
}

async function putInPlace(
  options: Pick<WriteOptions, "folder" | "fsync">,
  incoming: string,
  clean: string,
): Promise<void> {
  const { parent, name } = await openParent(options, clean);
  await closing(parent, () => putInto(parent, { name, incoming, fsync: options.fsync }));
}

/** Opens the folder that a file goes into, making missing folders, and returns it with the file's name. */
export async function openParent(
  { folder, fsync }: Pick<WriteOptions, "folder" | "fsync">,
  clean: string,
): Promise<{ parent: Folder; name: string }> {
  const root = await maybeOpenRoot(folder);
  if (!root) throw new InTheWay("absent", clean);
  return walkToParent(root, clean, async (inside, missing) => {
    await makeFolder(inside, missing);
    if (fsync) await syncFolder(inside.itself);
  });
}

export async function putInto(
  parent: Folder,
  { name, incoming, fsync }: { readonly name: string; readonly incoming: string; readonly fsync: boolean },
): Promise<void> {
  await checkTarget(parent, name);
  await rename(incoming, parent.at(name));
  crashPoint("upload-published");
  if (fsync) await syncFolder(parent.itself);
}

async function checkTarget(parent: Folder, name: string): Promise<void> {
  const there = await maybeLstat(parent.at(name));
  if (there?.isSymbolicLink()) throw new InTheWay("link", name);
  if (there?.isDirectory()) throw new Refusal("malformed", `A directory named '${name}' is in the way.`);
}

export function refusalOf(error: unknown, clean: string): unknown {
  if (error instanceof InTheWay) return inTheWayRefusal(error, clean);
  if (isDiskFull(error)) return noSpace(clean, error);
  if (isNotPermitted(error))
    return refuse("forbidden", clean, "the permissions of its directory forbid it", error);
  switch (codeOf(error)) {
    case "EISDIR":
    case "ENOTEMPTY":
    case "EEXIST":
      return refuse("malformed", clean, "a directory of that name is in the way", error);
    case "ENAMETOOLONG":
      return refuse("malformed", clean, "its name is too long for the file system", error);
    case "ENOENT":
      return refuse("conflict", clean, GONE, error);
    default:
      return error;
  }
}

const GONE = "its directory was removed during the upload. Upload it again";

function inTheWayRefusal({ kind, message: name }: InTheWay, clean: string): Refusal {
  if (kind === "link") return new Refusal("malformed", `Opening symlink '${name}' is not allowed`);
  if (kind === "absent") return refuse("conflict", clean, GONE);
  return refuse("malformed", clean, `the file '${name}' is in the way of a directory`);
}

function refuse(kind: Refusal["kind"], clean: string, why: string, cause?: unknown): Refusal {
  return new Refusal(kind, `${clean} was not stored: ${why}.`, { cause });
}
