import { rename } from "node:fs/promises";
import path from "node:path";
import { codeOf, Refusal } from "#plumbing/errors";
import { syncFolder } from "#plumbing/files/sync-folder";
import { matchedPaths } from "#workspace/find/matched-paths";
import {
  cleanPath,
  closing,
  type Folder,
  InTheWay,
  makeFolder,
  maybeLstat,
  maybeOpenRoot,
  walkToParent,
} from "#workspace/safe-path";
import { hasParentSegment, plainPath } from "#plumbing/files/relative-path";

export interface MoveOptions {
  readonly folder: string;
  readonly fsync: boolean;
}

/**
 * Moves the entries named by a path or a pattern, as `mv` does: into the target if it is a folder, otherwise
 * to the target's name, replacing an existing file. Each move is one rename, so an entry is never half moved.
 * Links are moved, never followed.
 */
export async function moveFiles(options: MoveOptions, source: string, target: string): Promise<void> {
  const isTop = plainPath(inside(target, "Target")) === "";
  const names = await matchedPaths(options.folder, inside(source, "Source"));
  if (names.length === 0) throw wentWrong(`there is no ${source} in the workspace.`);
  const clean = isTop ? "" : cleanPath(target);
  const intoFolder = isTop || (await isFolder(options.folder, clean));
  if (names.length > 1 && !intoFolder) throw wentWrong(`several files match, and ${target} is no folder.`);
  for (const name of names) {
    await moveOne(options, name, intoFolder ? path.posix.join(clean, path.posix.basename(name)) : clean);
  }
}

/** Refuses absolute paths and `..`: REANA resolves an absolute path in the server's file system. */
function inside(name: string, what: "Source" | "Target"): string {
  if (name.startsWith("/") || hasParentSegment(name))
    throw new Refusal("conflict", `${what} path is outside workspace`);
  return name;
}

async function isFolder(folder: string, clean: string): Promise<boolean> {
  const root = await maybeOpenRoot(folder);
  if (!root) return false;
  try {
    const { parent, name } = await walkToParent(root, clean);
    return await closing(parent, async () => (await maybeLstat(parent.at(name)))?.isDirectory() ?? false);
  } catch (error) {
    if (error instanceof InTheWay) return false;
    throw error;
  }
}

async function moveOne(options: MoveOptions, from: string, to: string): Promise<void> {
  if (from === to) throw wentWrong(`${from} and ${to} are the same file.`);
  if (`${to}/`.startsWith(`${from}/`)) throw wentWrong(`${from} cannot be moved into itself.`);
  try {
    await inParents(options, from, to, async (before, after) => {
      await refuseLink(after, to);
      await rename(before.parent.at(before.name), after.parent.at(after.name));
      if (options.fsync) await Promise.all([before, after].map(({ parent }) => syncFolder(parent.itself)));
    });
  } catch (error) {
    throw refusalOf(error, from, to);
  }
}

interface MovePlace {
  readonly parent: Folder;
  readonly name: string;
}

/** Holds both folders open, so that a job cannot replace either with a link during the work. */
async function inParents(
  { folder }: MoveOptions,
  from: string,
  to: string,
  work: (before: MovePlace, after: MovePlace) => Promise<void>,
): Promise<void> {
  const before = await walkToParent(await rootOf(folder), from);
  await closing(before.parent, async () => {
    const after = await walkToParent(await rootOf(folder), to, makeFolder);
    await closing(after.parent, () => work(before, after));
  });
}

async function rootOf(folder: string): Promise<Folder> {
  const root = await maybeOpenRoot(folder);
  if (!root) throw new InTheWay("absent", folder);
  return root;
}

async function refuseLink({ parent, name }: MovePlace, to: string): Promise<void> {
  const there = await maybeLstat(parent.at(name));
  if (there?.isSymbolicLink()) throw wentWrong(`a link is in the way at ${to}.`);
}

function refusalOf(error: unknown, from: string, to: string): unknown {
  if (error instanceof InTheWay) {
    if (error.kind === "absent") return wentWrong(`${from} was removed during the move.`);
    const what = error.kind === "link" ? "a link" : "a file";
    return wentWrong(`${what} is in the way of the folder '${error.message}'.`);
  }
  switch (codeOf(error)) {
    case "ENOENT":
      return wentWrong(`${from} was removed during the move.`);
    case "EISDIR":
    case "ENOTDIR":
    case "ENOTEMPTY":
    case "EEXIST":
      return wentWrong(`something of another kind, or a folder that is not empty, is in the way at ${to}.`);
    case "EACCES":
    case "EPERM":
      return wentWrong(`the permissions do not allow to move ${from} to ${to}.`);
    case "ENAMETOOLONG":
      return wentWrong(`${to} is too long a name for the file system.`);
    default:
      return error;
  }
}

/** Returns a refusal with REANA's opening words. */
function wentWrong(why: string): Refusal {
  return new Refusal("conflict", `Something went wrong:\n ${why}`);
}
