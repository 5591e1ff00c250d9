import { hasMagic, parseGlob } from "#plumbing/glob";
import { cleanPath } from "#workspace/safe-path";
import type { Entry } from "#workspace/walk";

/** Which entries of a workspace are meant by a path or a pattern. */
export interface Selection {
  /** Where to begin; everything that is meant lies there. Absent: the whole workspace. */
  readonly start: string | undefined;
  includes(entry: Pick<Entry, "name" | "kind">): boolean;
}

/** For a listing. No pattern: all files. A path: it, or what lies below it. A glob: what matches, folders too. */
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

/** For a download: the files that match a glob. As in REANA, a folder is taken only if it is named outright. */
export function matchedFiles(pattern: string): Selection {
  const glob = parseGlob(cleanPath(pattern));
  return { start: glob.start, includes: ({ name, kind }) => kind === "file" && glob.matches(name) };
}

/** For an archive: the files below a folder. */
export function filesBelow(folder: string): Selection {
  return { start: folder, includes: ({ kind }) => kind === "file" };
}

function below(folder: string): (name: string) => boolean {
  return (name) => name === folder || name.startsWith(`${folder}/`);
}
