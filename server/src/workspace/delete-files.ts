import { rename, unlink } from "node:fs/promises";
import path from "node:path";
import { codeOf, messageOf } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";
import { syncFolder } from "#plumbing/sync-folder";
import { usedBytes } from "#workspace/list-files";
import { matchedPaths } from "#workspace/matched-paths";
import { removeTree } from "#workspace/remove-tree";
import {
  closing,
  type Folder,
  InTheWay,
  maybeLstat,
  maybeOpenRoot,
  walkToParent,
} from "#workspace/safe-path";

export interface DeleteOptions {
  readonly folder: string;
  /** On the same file system: folders are moved there, at once out of sight, and then deleted. */
  readonly incomingFolder: string;
  readonly fsync: boolean;
  readonly random: Random;
}

export interface Deleted {
  /** What went, and how many bytes with it. */
  readonly deleted: ReadonlyMap<string, number>;
  /** What stayed, and why. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Deletes what a path or a pattern means: files, links (never what they lead to), folders with all that is in them. */
export async function deleteFiles(options: DeleteOptions, wanted: string): Promise<Deleted> {
  const deleted = new Map<string, number>();
  const failed = new Map<string, string>();
  for (const name of await matchedPaths(options.folder, wanted)) {
    try {
      const bytes = await deleteOne(options, name);
      if (bytes !== undefined) deleted.set(name, bytes);
    } catch (error) {
      failed.set(name, reasonOf(error));
    }
  }
  return { deleted, failed };
}

/** Nothing when it is gone by now. */
export async function deleteOne(options: DeleteOptions, name: string): Promise<number | undefined> {
  const root = await maybeOpenRoot(options.folder);
  if (!root) return undefined;
  try {
    const { parent, name: last } = await walkToParent(root, name);
    return await closing(parent, async () => {
      const bytes = await deleteAt(options, parent, last);
      if (options.fsync) await syncFolder(parent.itself);
      return bytes;
    });
  } catch (error) {
    if (error instanceof InTheWay || codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function deleteAt(options: DeleteOptions, parent: Folder, last: string): Promise<number | undefined> {
  const there = await maybeLstat(parent.at(last));
  if (!there) return undefined;
  if (!there.isDirectory()) {
    await unlink(parent.at(last));
    return there.size;
  }
  const hidden = path.join(options.incomingFolder, options.random.uuid());
  await rename(parent.at(last), hidden);
  const bytes = await usedBytes(hidden);
  await removeTree(hidden, options.random);
  return bytes;
}

function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      return "The permissions of its folder do not allow it.";
    case "EROFS":
      return "The disk is read-only.";
    default:
      // The system's sentences name paths of the server.
      return codeOf(error) ?? messageOf(error);
  }
}
