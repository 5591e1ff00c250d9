import { rename, rmdir, unlink } from "node:fs/promises";
import path from "node:path";
import { codeOf, messageOf } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { syncFolder } from "#plumbing/files/sync-folder";
import { entriesMeant } from "#workspace/find/matched-paths";
import { removeTree } from "#workspace/remove/remove-tree";
import {
  closing,
  type Folder,
  InTheWay,
  maybeLstat,
  maybeOpenRoot,
  walkToParent,
} from "#workspace/safe-path";
import { walk } from "#workspace/find/walk";

export interface DeleteOptions {
  readonly folder: string;
  /** A folder on the same file system. Folders are moved out of sight here before deletion. */
  readonly incomingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
}

export interface Deleted {
  /** Paths of the deleted entries with their sizes. */
  readonly deleted: ReadonlyMap<string, number>;
  /** Paths of the entries that could not be deleted, with the reason. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Most entries of a folder that a result names. A folder with more is named alone, with its total size. */
const NAMED_MAX = 100_000;

/**
 * Deletes the entries named by a path or a pattern, as REANA does. A path to a folder includes the contents.
 * A pattern includes the matching files, links and folders; a matching folder is deleted only if it is empty
 * by that point. Links themselves are deleted, never their targets.
 */
export async function deleteFiles(options: DeleteOptions, wanted: string): Promise<Deleted> {
  const deleted = new Map<string, number>();
  const failed = new Map<string, string>();
  for (const { name, isNamed } of await entriesMeant(options.folder, wanted)) {
    try {
      const gone = isNamed ? await deleteNamed(options, name) : await deleteMatched(options, name);
      for (const [goneName, bytes] of gone) deleted.set(goneName, bytes);
    } catch (error) {
      failed.set(name, reasonOf(error));
    }
  }
  return { deleted: sorted(deleted), failed: sorted(failed) };
}

function sorted<Value>(map: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map([...map].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

type Gone = readonly (readonly [name: string, bytes: number])[];

/** Returns the deleted entries: for a folder each entry by its path, with the size of the entry itself. */
function deleteNamed(options: DeleteOptions, name: string): Promise<Gone> {
  return inParent(options, name, async (parent, last) => {
    const there = await maybeLstat(parent.at(last));
    if (!there) return [];
    if (there.isDirectory()) return deleteFolder(options, { parent, last, name, bytes: there.size });
    await unlink(parent.at(last));
    return [[name, there.size]];
  });
}

/** Deletes a file, a link or an empty folder. */
function deleteMatched(options: DeleteOptions, name: string): Promise<Gone> {
  return inParent(options, name, async (parent, last) => {
    const there = await maybeLstat(parent.at(last));
    if (!there) return [];
    await (there.isDirectory() ? rmdir(parent.at(last)) : unlink(parent.at(last)));
    return [[name, there.size]];
  });
}

/** Deletes one file or link. Returns the size, or undefined if the entry does not exist. */
export async function deleteOne(options: DeleteOptions, name: string): Promise<number | undefined> {
  return (await deleteMatched(options, name))[0]?.[1];
}

/**
 * Holds the parent folder of an entry open during the work. Returns an empty list if the folder or the entry does not
 * exist.
 */
async function inParent(
  options: DeleteOptions,
  name: string,
  work: (parent: Folder, last: string) => Promise<Gone>,
): Promise<Gone> {
  const root = await maybeOpenRoot(options.folder);
  if (!root) return [];
  try {
    const { parent, name: last } = await walkToParent(root, name);
    return await closing(parent, async () => {
      const gone = await work(parent, last);
      if (options.fsync) await syncFolder(parent.itself);
      return gone;
    });
  } catch (error) {
    if (error instanceof InTheWay || codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

interface FolderToDelete {
  readonly parent: Folder;
  readonly last: string;
  readonly name: string;
  /** Bytes of the folder itself. */
  readonly bytes: number;
}

/** Moves the folder out of sight before deleting it, because readers must not see a half-deleted folder. */
async function deleteFolder(options: DeleteOptions, folder: FolderToDelete): Promise<Gone> {
  const { parent, last, name, bytes } = folder;
  const hidden = path.join(options.incomingFolder, options.random.uuid());
  await rename(parent.at(last), hidden);
  const { entries, sum } = await contentOf(hidden, name);
  await removeTree(hidden, options.random);
  return entries ? [[name, bytes], ...entries] : [[name, bytes + sum]];
}

interface FolderContent {
  /** Undefined if there are too many to name. */
  readonly entries: Gone | undefined;
  readonly sum: number;
}

/**
 * Returns the contents of a folder with their sizes. Entries that a job made unreadable are deleted too, but cannot be
 * named.
 */
async function contentOf(folder: string, name: string): Promise<FolderContent> {
  const entries: (readonly [string, number])[] = [];
  let sum = 0;
  let count = 0;
  for await (const batch of walk(folder, { onGap: () => undefined })) {
    const sizes = await Promise.all(batch.map(async ({ at }) => (await maybeLstat(at))?.size ?? 0));
    sum += sizes.reduce((total, bytes) => total + bytes, 0);
    count += batch.length;
    if (count > NAMED_MAX) continue;
    for (const [index, entry] of batch.entries()) entries.push([`${name}/${entry.name}`, sizes[index]!]);
  }
  return { entries: count > NAMED_MAX ? undefined : entries, sum };
}

function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      return "The permissions of its folder do not allow it.";
    case "ENOTEMPTY":
      return "Directory not empty";
    case "EROFS":
      return "The disk is read-only.";
    default:
      // Node's messages contain paths of the server.
      return codeOf(error) ?? messageOf(error);
  }
}
