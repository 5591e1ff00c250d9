import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "#cli/failure";
import { codeOf, messageOf } from "#plumbing/errors";
import { ContentSketch } from "#plumbing/files/content-sketch";

/** A local file. */
export interface NamedFile {
  /** As named on the command line, or below a folder that was named there. */
  readonly name: string;
  readonly bytes: number;
}

/** Limit on the files of a folder whose origin is asked for together. */
export const FOLDER_MAX_FILES = 10_000;

/** The regular files below a path, sorted by name. `isCut` is set if the folder holds more than the limit. */
export interface FoundFiles {
  readonly files: readonly NamedFile[];
  readonly isFolder: boolean;
  readonly isCut: boolean;
}

/** Finds the files below a path. Links inside a folder are left out: their targets may lie anywhere. */
export async function findFiles(name: string): Promise<FoundFiles> {
  const there = await stat(name);
  if (!there.isDirectory()) {
    if (!there.isFile()) throw new CommandError(`${name} is neither a file nor a folder.`);
    return { files: [{ name, bytes: there.size }], isFolder: false, isCut: false };
  }
  const files: NamedFile[] = [];
  const folders = [name];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const inner = path.join(folder, entry.name);
      if (entry.isDirectory()) folders.push(inner);
      else if (entry.isFile()) files.push({ name: inner, bytes: (await stat(inner)).size });
      if (files.length > FOLDER_MAX_FILES)
        return { files: files.slice(0, FOLDER_MAX_FILES), isFolder: true, isCut: true };
    }
  }
  return { files, isFolder: true, isCut: false };
}

/** Large enough for few calls. A file of any size is read with this much memory. */
const CHUNK_BYTES = 1 << 20;

export interface FileContent {
  /** In hex. */
  readonly sha256: string;
  /** If it was asked for: digests of chunks, to find the nearest files. */
  readonly sketch: readonly string[] | undefined;
}

/** Reads a file from beginning to end. */
export async function readContent(
  name: string,
  { hasSketch, onBytes }: { readonly hasSketch: boolean; readonly onBytes: (count: number) => void },
): Promise<FileContent> {
  const hash = createHash("sha256");
  const sketch = hasSketch ? new ContentSketch() : undefined;
  for await (const chunk of createReadStream(name, { highWaterMark: CHUNK_BYTES })) {
    hash.update(chunk as Buffer);
    sketch?.update(chunk as Buffer);
    onBytes((chunk as Buffer).length);
  }
  return { sha256: hash.digest("hex"), sketch: sketch?.digests() };
}

/** Returns a sentence about a file that could not be read. Throws any error that is not the file system's. */
export function unreadable(name: string, error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return `There is no file ${name}.`;
  if (code === "EACCES" || code === "EPERM")
    return `${name} cannot be read by this user: ask its owner, or copy it to a place of yours.`;
  if (code !== undefined) return `${name} could not be read: ${messageOf(error)}`;
  throw error;
}
