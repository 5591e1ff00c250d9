import { rmdir } from "node:fs/promises";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";
import { type DeleteOptions, deleteOne } from "#workspace/remove/delete-files";
import { closing, InTheWay, maybeLstat, maybeOpenRoot, walkToParent } from "#workspace/safe-path";
import { type Entry, walk } from "#workspace/find/walk";

/**
 * Deletes the files that `isMeant` selects, at any depth, and the folders that this empties. Links are deleted like
 * files and never followed. Files that cannot be deleted stay. `mayContinue` is called before each batch and throws to
 * stop the deletion. Safe to call twice. Returns the number of deleted files.
 */
export async function prune(
  options: DeleteOptions,
  isMeant: (path: string) => boolean,
  mayContinue: () => Promise<void>,
): Promise<number> {
  const emptied = new Set<string>();
  let count = 0;
  for await (const batch of walk(options.folder, { onGap: () => undefined })) {
    const meant = filesIn(batch, isMeant);
    if (meant.length > 0) await mayContinue();
    for (const { name } of meant) {
      if (!(await isDeleted(options, name))) continue;
      crashPoint("file-pruned");
      count += 1;
      addFolders(emptied, name);
    }
  }
  await removeEmptied(options.folder, emptied);
  return count;
}

/** Deletes files by their paths, and the emptied folders, until `mayContinue` throws. */
export async function removeFiles(
  options: DeleteOptions,
  paths: readonly string[],
  mayContinue: () => Promise<void>,
): Promise<void> {
  const emptied = new Set<string>();
  for (const [index, name] of paths.entries()) {
    if (index % BATCH_FILES === 0) await mayContinue();
    if (await isDeleted(options, name)) addFolders(emptied, name);
  }
  await removeEmptied(options.folder, emptied);
}

const BATCH_FILES = 100;

async function removeEmptied(workspace: string, emptied: ReadonlySet<string>): Promise<void> {
  // Innermost folders first.
  const folders = [...emptied].toSorted((a, b) => b.split("/").length - a.split("/").length);
  for (const folder of folders) await removeIfEmpty(workspace, folder);
}

function filesIn(batch: readonly Entry[], isMeant: (path: string) => boolean): Entry[] {
  return batch.filter(({ kind, name }) => kind !== "folder" && isMeant(name));
}

/** Files to be deleted by pruning. */
export interface Prunable {
  /** The first files, up to the limit. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
  readonly totalFiles: number;
  readonly totalBytes: number;
}

/** Returns the files that `prune` would delete, without deleting. */
export async function prunable(
  folder: string,
  isMeant: (path: string) => boolean,
  maxFiles: number,
): Promise<Prunable> {
  const files: { name: string; bytes: number }[] = [];
  let [totalFiles, totalBytes] = [0, 0];
  for await (const batch of walk(folder, { onGap: () => undefined })) {
    for (const { name, at } of filesIn(batch, isMeant)) {
      const bytes = (await maybeLstat(at))?.size;
      if (bytes === undefined) continue;
      totalFiles += 1;
      totalBytes += bytes;
      if (files.length < maxFiles) files.push({ name, bytes });
    }
  }
  return { files, totalFiles, totalBytes };
}

async function isDeleted(options: DeleteOptions, name: string): Promise<boolean> {
  try {
    return (await deleteOne(options, name)) !== undefined;
  } catch (error) {
    if (["EACCES", "EPERM", "EISDIR"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}

function addFolders(folders: Set<string>, name: string): void {
  for (let cut = name.lastIndexOf("/"); cut > 0; cut = name.lastIndexOf("/", cut - 1)) {
    folders.add(name.slice(0, cut));
  }
}

async function removeIfEmpty(workspace: string, name: string): Promise<void> {
  const root = await maybeOpenRoot(workspace);
  if (!root) return;
  try {
    const { parent, name: last } = await walkToParent(root, name);
    await closing(parent, () => rmdir(parent.at(last)));
  } catch (error) {
    const isLeft = error instanceof InTheWay;
    if (!isLeft && !["ENOTEMPTY", "ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(codeOf(error) ?? ""))
      throw error;
  }
}
