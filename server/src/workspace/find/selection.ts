import { hasMagic, parseGlob } from "#plumbing/text/glob";
import { cleanPath } from "#workspace/safe-path";
import type { Entry } from "#workspace/find/walk";

/** Entries of a workspace that a path or a pattern selects. */
export interface Selection {
  /** Path where the walk starts, an ancestor of all selected entries. Undefined for the whole workspace. */
  readonly start: string | undefined;
  includes(entry: Pick<Entry, "name" | "kind">): boolean;
}

/**
 * Selects entries for a listing. No pattern: all files. A path: that file, or everything below it. A glob: all matches,
 * including folders.
 */
export function listed(pattern: string | undefined): Selection {
  if (pattern === undefined || pattern.replaceAll("/", "") === "") {
    return { start: undefined, includes: ({ kind }) => kind !== "folder" };
  }
  const clean = cleanPath(pattern);
  const literally = below(clean);
  const isMeant = (entry: Pick<Entry, "name" | "kind">) => entry.kind !== "folder" && literally(entry.name);
  if (!hasMagic(clean)) return { start: clean, includes: isMeant };
  const glob = parseGlob(clean);
  // A file may really be called `a*b`.
  return { start: glob.start, includes: (entry) => glob.matches(entry.name) || isMeant(entry) };
}

/**
 * Selects the files that match a glob, for a download, and links, which may lead to files. As in REANA, a folder is taken
 * only if it is named directly.
 */
export function matchedFiles(pattern: string): Selection {
  const glob = parseGlob(cleanPath(pattern));
  return { start: glob.start, includes: ({ name, kind }) => kind !== "folder" && glob.matches(name) };
}

/** Selects the files below a folder, for an archive, and links, which may lead to files. */
export function filesBelow(folder: string): Selection {
  return { start: folder, includes: ({ kind }) => kind !== "folder" };
}

function below(folder: string): (name: string) => boolean {
  return (name) => name === folder || name.startsWith(`${folder}/`);
}
