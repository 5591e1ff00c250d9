import { Refusal } from "#plumbing/errors";
import { componentsOf, isPlainPath } from "#plumbing/files/relative-path";
import type { ZipEntry } from "#plumbing/zip/zip-reader";

interface EntryLimits {
  readonly maxFiles: number;
  /** The name of the zip in messages. */
  readonly what: string;
}

export const PATH_BYTES_MAX = 4096;
const DEPTH_MAX = 64;

/**
 * Returns the files of a zip from outside, by their names: relative paths with `/`, always inside the folder. Refuses
 * links, other paths, and files that would be in each other's way.
 */
export function checkEntries(
  entries: readonly ZipEntry[],
  { maxFiles, what }: EntryLimits,
): ReadonlyMap<string, ZipEntry> {
  const refuse = (why: string): never => {
    throw new Refusal("malformed", `The ${what} cannot be used: ${why}.`);
  };
  for (const entry of entries) {
    const why = whyNot(entry);
    if (why !== undefined) refuse(`${shown(entry.name)} ${why}`);
  }
  const files = entries.filter(({ kind }) => kind === "file");
  if (files.length > maxFiles) refuse(`it has more than ${maxFiles} files`);
  const byName = new Map(files.map((file) => [file.name, file]));
  if (byName.size < files.length) refuse("it holds two files of the same name");
  const both = entries.find(({ name, kind }) => kind === "folder" && byName.has(folderName(name)));
  if (both) refuse(`${shown(folderName(both.name))} is a file and a folder`);
  const inTheWay = files.find(({ name }) => foldersOf(name).some((folder) => byName.has(folder)));
  if (inTheWay) refuse(`${shown(inTheWay.name)} is inside something that is also a file`);
  return byName;
}

function whyNot({ name, kind }: ZipEntry): string | undefined {
  if (kind === "link") return "is a symbolic link";
  if (kind === "other") return "is neither a file nor a folder";
  if (name.startsWith("/") || /^[a-z]:/i.test(name)) return "is an absolute path";
  if (name.includes("\\") || name.includes("\0")) return "holds a backslash or a NUL";
  if (!isPlainPath(folderName(name))) return "is no plain path inside it";
  if (componentsOf(name).length > DEPTH_MAX) return `is nested deeper than ${DEPTH_MAX} folders`;
  return Buffer.byteLength(name) > PATH_BYTES_MAX ? `is longer than ${PATH_BYTES_MAX} bytes` : undefined;
}

function folderName(name: string): string {
  return name.replace(/\/$/, "");
}

function foldersOf(name: string): string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
