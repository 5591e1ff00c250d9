import { createWriteStream, lstatSync, mkdirSync } from "node:fs";
import { access, constants, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { finished, Readable, type Writable } from "node:stream";
import type { Clock } from "#plumbing/clock";
import { copyFile } from "#plumbing/copy-file";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf, isDiskFull, messageOf, Refusal } from "#plumbing/errors";
import { modeOf } from "#plumbing/file-mode";
import type { Random } from "#plumbing/ids";
import { syncFolder } from "#plumbing/sync-folder";
import { noSpace } from "#workspace/disk-full";
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
  /** Of the workspace. */
  readonly folder: string;
  /** Otherwise it must be there. */
  readonly makesFolder: boolean;
  /** Called when all of it is there, and before it has its name. */
  readonly beforePublishing?: () => Promise<void>;
  /** For files on their way, on the same file system. */
  readonly incomingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
  /** Whether the file gets an execute bit. */
  readonly isExecutable?: boolean;
}

/** What fits into the kernel's hands at once; measured on 1 GiB: 64 KiB takes twice the time of 1 MiB. */
const CHUNK_BYTES = 1 << 20;

/**
 * Whole or absent: the content goes into a file of another folder, which takes its place in the workspace by one
 * rename. The way there is looked at before a long upload begins, and walked again when it has ended.
 */
export async function writeFile(
  options: WriteOptions,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<{ path: string; bytes: number }> {
  const source = content instanceof Readable ? content : Readable.from(content);
  // It may break before it is read; whoever pours it hears of that, but an error without a listener ends the process.
  source.on("error", () => undefined);
  return writeWith(options, name, (incoming) => receive(incoming, source, options));
}

/** The same with a file of this machine, which the system copies. */
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

/** Else the fault would look like one of the workspace. */
async function refuseUnreadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    const why = isNotPermitted(error) ? "its permissions do not allow it" : messageOf(error);
    throw new Refusal("forbidden", `${file} cannot be read: ${why}.`, { cause: error });
  }
}

/** `fill` makes the incoming file and returns its size. */
async function writeWith(
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

/** A file that has come in another way, on the same file system: whole or absent as well. */
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

/** Whether a file may go there as things are, before a long upload begins. */
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
 * The folder of a workspace. Safe twice. Synced also when it is there: whoever made it may not have come to that yet, or
 * never will. The same holds for the folders in it. Each run and each upload asks for it, and a switch of threads would
 * cost more than the folder.
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

/** Files that a server which died was still receiving. */
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

async function receive(
  file: string,
  source: Readable,
  { fsync, isExecutable = false }: Pick<WriteOptions, "fsync" | "isExecutable">,
): Promise<number> {
  const mode = modeOf(isExecutable);
  const target = createWriteStream(file, { flags: "wx", mode, highWaterMark: CHUNK_BYTES, flush: fsync });
  await pour(source, target);
  return target.bytesWritten;
}

/** Like a pipeline that lets a source live whose target failed: a request still has to be answered. */
function pour(source: Readable, target: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const forget = finished(source, { writable: false }, (error) => {
      if (error) target.destroy(error);
    });
    finished(target, (error) => {
      forget();
      source.unpipe(target);
      if (error) reject(error);
      else resolve();
    });
    source.pipe(target);
  });
}

async function putInPlace(
  options: Pick<WriteOptions, "folder" | "fsync">,
  incoming: string,
  clean: string,
): Promise<void> {
  const { parent, name } = await openParent(options, clean);
  await closing(parent, () => putInto(parent, { name, incoming, fsync: options.fsync }));
}

/** The folder that a file goes into, made where it is missing, and the file's name in it. */
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

const GONE = "its directory was removed meanwhile. Upload it again";

function inTheWayRefusal({ kind, message: name }: InTheWay, clean: string): Refusal {
  if (kind === "link") return new Refusal("malformed", `Opening symlink '${name}' is not allowed`);
  if (kind === "absent") return refuse("conflict", clean, GONE);
  return refuse("malformed", clean, `the file '${name}' is in the way of a directory`);
}

function refuse(kind: Refusal["kind"], clean: string, why: string, cause?: unknown): Refusal {
  return new Refusal(kind, `${clean} was not stored: ${why}.`, { cause });
}
