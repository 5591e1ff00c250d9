import { createWriteStream } from "node:fs";
import { lstat, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { codeOf, Refusal } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { cleanPath, type Folder, InTheWay, maybeOpenRoot, walkToParent } from "#workspace/safe-path";

export interface WriteOptions {
  /** Of the workspace; it is there. */
  readonly folder: string;
  /** For files on their way, on the same file system. */
  readonly incomingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
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
  const clean = cleanPath(name);
  await refuseEarly(options.folder, clean);
  const incoming = path.join(options.incomingFolder, options.random.uuid());
  try {
    const bytes = await receive(incoming, content, options.fsync);
    await putInPlace(options, incoming, clean);
    return { path: clean, bytes };
  } catch (error) {
    await rm(incoming, { force: true });
    throw refusalOf(error, clean);
  }
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
    const { parent, name } = await walkToParent(root, clean, { make: false });
    await checkTarget(parent, name).finally(() => parent.close());
  } catch (error) {
    if (error instanceof InTheWay && error.kind === "absent") return;
    throw refusalOf(error, clean);
  }
}

async function receive(file: string, content: AsyncIterable<Uint8Array>, fsync: boolean): Promise<number> {
  const source = content instanceof Readable ? content : Readable.from(content);
  const target = createWriteStream(file, { flags: "wx", highWaterMark: CHUNK_BYTES, flush: fsync });
  await pipeline(source, target);
  return target.bytesWritten;
}

async function putInPlace(options: WriteOptions, incoming: string, clean: string): Promise<void> {
  const root = await maybeOpenRoot(options.folder);
  if (!root) throw new InTheWay("absent", clean);
  const { parent, name } = await walkToParent(root, clean, { make: true });
  try {
    await checkTarget(parent, name);
    await rename(incoming, parent.at(name));
    if (options.fsync) await syncFolder(parent);
  } finally {
    await parent.close();
  }
}

async function checkTarget(parent: Folder, name: string): Promise<void> {
  const there = await maybeLstat(parent.at(name));
  if (there?.isSymbolicLink()) throw new InTheWay("link", name);
  if (there?.isDirectory()) throw new Refusal("malformed", `A directory named '${name}' is in the way.`);
}

async function maybeLstat(file: string) {
  try {
    return await lstat(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function syncFolder(folder: Folder): Promise<void> {
  const handle = await open(folder.itself, "r");
  await handle.sync().finally(() => handle.close());
}

function refusalOf(error: unknown, clean: string): unknown {
  if (error instanceof InTheWay) return inTheWayRefusal(error, clean);
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return new Refusal("no-space", `${clean} was not stored: the disk of the workspaces is full. Free some space.`);
    case "EISDIR":
    case "ENOTEMPTY":
    case "EEXIST":
      return new Refusal("malformed", `${clean} was not stored: a directory of that name is in the way.`);
    case "ENAMETOOLONG":
      return new Refusal("malformed", `${clean} was not stored: its name is too long for the file system.`);
    default:
      return error;
  }
}

function inTheWayRefusal({ kind, message: name }: InTheWay, clean: string): Refusal {
  if (kind === "link") return new Refusal("malformed", `Opening symlink '${name}' is not allowed`);
  if (kind === "not-a-folder") {
    return new Refusal("malformed", `${clean} was not stored: the file '${name}' is in the way of a directory.`);
  }
  return new Refusal("conflict", `${clean} was not stored: its workspace was removed meanwhile.`);
}
