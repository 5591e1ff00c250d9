import { chmod, constants, open, rename, rmdir, unlink } from "node:fs/promises";
import { codeOf } from "#plumbing/errors";
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
import { read } from "#workspace/walk";

/**
 * Deletes a folder, whatever a job has made of it: deeper than any path may be long, without permission to read or to
 * write, full of links. Folders found on the way are first moved up to the top, so that nothing is ever far down; links
 * are deleted and never followed. Safe twice, and beside another who deletes the same.
 */
export async function removeTree(top: string, random: Random): Promise<void> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    const root = await maybeRoot(top);
    if (!root) return;
    await closing(root, () => emptyTop(root, random));
    if (await isRemoved(top)) return;
  }
  throw new Error(`${top} could not be removed: something goes on writing into it.`);
}

/** Anything but a folder in its place is deleted at once. */
async function maybeRoot(top: string): Promise<Folder | undefined> {
  try {
    return await allowed(top, () => maybeOpenRoot(top));
  } catch (error) {
    if (!(error instanceof DamagedWorkspace)) throw error;
    await unlinkUnlessGone(top);
    return undefined;
  }
}

/** Answers whether there was anything to move. The target's name must be free. */
export async function moveFolder(from: SystemPath, to: SystemPath): Promise<boolean> {
  try {
    await allowed(from, () => rename(from, to));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** What comes in meanwhile is met in the next round. */
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

/** Of everything but folders, which are told. */
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
    // Gone, or a folder by now, which the next round meets.
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "EISDIR") throw error;
  }
}

/** Not when something is in it. */
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

/** Work with a folder that a job may have made inaccessible to its owner, which we are too. */
async function allowed<Result>(folder: SystemPath, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isNotPermitted(error)) throw error;
    await openUpNamed(folder);
    return await work();
  }
}

/** A place in the file system without any right to it; Node does not name it. */
const O_PATH = 0o10_000_000;
const PLACE_OF_FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Never through a link: the folder is held while its permissions are changed. */
async function openUpNamed(folder: SystemPath): Promise<void> {
  if (!HAS_PROC) {
    if ((await maybeLstat(folder))?.isDirectory()) await openUp(folder);
    return;
  }
  const handle = await open(folder, PLACE_OF_FOLDER);
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
    // Somebody else's, or removed by another: if that is in the way, what is done with it next says so.
    if (!isNotPermitted(error) && codeOf(error) !== "ENOENT") throw error;
  }
}
