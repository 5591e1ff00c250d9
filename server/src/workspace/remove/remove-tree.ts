import { chmod, open, rename, rmdir, unlink } from "node:fs/promises";
import { codeOf } from "#plumbing/errors";
import { FOLDER_LOCATION } from "#plumbing/files/open-flags";
import type { Random } from "#plumbing/ids";
import {
  closing,
  DamagedWorkspace,
  enter,
  type Folder,
  HAS_PROC,
  InTheWay,
  isNotPermitted,
  maybeLstat,
  maybeOpenRoot,
  type SystemPath,
} from "#workspace/safe-path";
import { read } from "#workspace/find/walk";

/**
 * Deletes a folder, however a job has left it: deeper than the longest path, without permission to read or write, full
 * of links. Subfolders are first moved up to the top, so that no path gets long. Links are deleted and never followed.
 * Safe to call twice, and concurrently with another deletion of the same folder.
 */
export async function removeTree(top: string, random: Random): Promise<void> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const root = await maybeRoot(top);
    if (!root) return;
    await closing(root, () => emptyTop(root, random));
    if (await isRemoved(top)) return;
  }
  throw new Error(`${top} could not be removed: something keeps writing into it.`);
}

/** Opens the top folder. Anything else in its place is deleted. */
async function maybeRoot(top: string): Promise<Folder | undefined> {
  try {
    return await allowed(top, () => maybeOpenRoot(top));
  } catch (error) {
    if (!(error instanceof DamagedWorkspace)) throw error;
    await unlinkUnlessGone(top);
    return undefined;
  }
}

/** Returns whether there was a folder to move. The target's name must be free. */
export async function moveFolder(from: SystemPath, to: SystemPath): Promise<boolean> {
  try {
    await allowed(from, () => rename(from, to));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Files created during a round are deleted in the next round. */
const ROUNDS_MAX = 10;

async function emptyTop(root: Folder, random: Random): Promise<void> {
  const waiting: SystemPath[] = [];
  await empty(root, async (name) => void waiting.push(name));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const inner = await maybeEnter(root, name);
    if (!inner) continue;
    const moveUp = async (innerName: SystemPath) => {
      const moved = random.uuid();
      if (await moveFolder(inner.at(innerName), root.at(moved))) waiting.push(moved);
    };
    await closing(inner, () => empty(inner, moveUp));
    await isRemoved(root.at(name));
  }
}

async function maybeEnter(root: Folder, name: SystemPath): Promise<Folder | undefined> {
  try {
    return await allowed(root.at(name), () => enter(root, name));
  } catch (error) {
    if (error instanceof InTheWay || codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Deletes everything except folders, which are passed to `onFolder`. */
async function empty(folder: Folder, onFolder: (name: SystemPath) => Promise<void>): Promise<void> {
  await openUp(folder.itself);
  for await (const entries of read(folder)) {
    const others = entries.filter((entry) => !entry.isDirectory());
    await Promise.all(others.map(({ name }) => unlinkUnlessGone(folder.at(name))));
    for (const entry of entries) if (entry.isDirectory()) await onFolder(entry.name);
  }
}

async function unlinkUnlessGone(target: SystemPath): Promise<void> {
  try {
    await unlink(target);
  } catch (error) {
    // The entry is gone, or has become a folder, which the next round handles.
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EISDIR") throw error;
  }
}

/** Removes an empty folder. Returns false if it is not empty. */
async function isRemoved(folder: SystemPath): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return true;
    if (codeOf(error) === "ENOTEMPTY") return false;
    throw error;
  }
}

/**
 * Runs the work, and once more with the permissions restored if a job has made the folder inaccessible to its owner.
 */
async function allowed<Result>(folder: SystemPath, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isNotPermitted(error)) throw error;
    await openUpNamed(folder);
    return await work();
  }
}

/** Restores permissions, never through a link: the folder is held open during the change. */
async function openUpNamed(folder: SystemPath): Promise<void> {
  if (!HAS_PROC) {
    if ((await maybeLstat(folder))?.isDirectory()) await openUp(folder);
    return;
  }
  const handle = await open(folder, FOLDER_LOCATION);
  try {
    await openUp(`/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
}

async function openUp(folder: SystemPath): Promise<void> {
  try {
    await chmod(folder, 0o700);
  } catch (error) {
    // The folder belongs to another user or was removed. If that matters, the next operation on it fails.
    if (!isNotPermitted(error) && codeOf(error) !== "ENOENT") throw error;
  }
}
