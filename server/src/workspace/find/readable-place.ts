import path from "node:path";
import { hasParentSegment } from "#plumbing/files/relative-path";

/** A folder outside the workspaces that every run may read. */
export interface ReadableRoot {
  /** Absolute path as runs write it. */
  readonly at: string;
  /** The real path of `at`, with all links resolved. */
  readonly folder: string;
}

/** A readable path: the root folder of the walk, and the path inside the root. */
export interface ReadablePlace {
  readonly root: string;
  readonly name: string;
  /** Prefix that turns a path inside the folder into the requested path. */
  readonly prefix: string;
}

interface Readable {
  /** The workspace. */
  readonly folder: string;
  readonly readableRoots: readonly ReadableRoot[];
}

/** Finds the readable root that contains an absolute path. Any other path is in the workspace. */
export function readablePlace({ folder, readableRoots }: Readable, name: string): ReadablePlace {
  const inside = { root: folder, name, prefix: "" };
  if (!name.startsWith("/") || hasParentSegment(name)) return inside;
  const wanted = path.posix.normalize(name);
  const root = maybeRoot(readableRoots, wanted);
  if (!root) return inside;
  return { root: root.folder, name: wanted.slice(root.at.length + 1), prefix: `${root.at}/` };
}

/** Returns the readable folder that a normal absolute path lies in. */
export function maybeRoot(readableRoots: readonly ReadableRoot[], wanted: string): ReadableRoot | undefined {
  return readableRoots.find(({ at }) => wanted === at || wanted.startsWith(`${at}/`));
}
