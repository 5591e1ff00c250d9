import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { Refusal } from "#plumbing/errors";
import type { FileEntry } from "#workspace/list-files";
import { maybeOpen, type OpenFile } from "#workspace/open-file";
import { cleanPath, maybeLstat } from "#workspace/safe-path";
import { type Entry, walk } from "#workspace/walk";

/**
 * A listing that a run requests of its own files while it is running. It is limited in every direction and never
 * follows a link. A missing or forbidden file is a refusal with a sentence.
 */
export interface FolderRequest {
  /** Path of the folder; `""` is the workspace itself. */
  readonly name: string;
  readonly isDeep: boolean;
  readonly maxEntries: number;
}

/** Entries of one folder; `isCut` if there are more than are returned. */
export interface FolderListing {
  readonly entries: FileEntry[];
  readonly isCut: boolean;
}

export async function listFolder(folder: string, request: FolderRequest): Promise<FolderListing> {
  const start = request.name === "" ? undefined : cleanPath(request.name);
  const prefix = start === undefined ? "" : `${start}/`;
  const found: FileEntry[] = [];
  let isThere = start === undefined;
  let isCut = false;
  for await (const batch of walk(folder, { start, onGap: () => (isCut = true) })) {
    isThere ||= isFolder(batch[0], start);
    const inside = batch.filter(({ name }) => name.startsWith(prefix) && name !== start);
    // The walk returns the entries of a folder before the entries of its subfolders.
    const goesDeeper = inside.some(({ name }) => name.slice(prefix.length).includes("/"));
    if (goesDeeper && !request.isDeep) break;
    found.push(...(await Promise.all(inside.map(look))).filter((entry) => entry !== undefined));
    if (found.length > request.maxEntries) break;
  }
  if (!isThere) throw absent(request.name);
  isCut ||= found.length > request.maxEntries;
  const entries = found.slice(0, request.maxEntries).sort((a, b) => (a.name < b.name ? -1 : 1));
  return { entries, isCut };
}

/** Whether this entry is the start of the walk, which comes first, and a folder. */
function isFolder(entry: Entry | undefined, start: string | undefined): boolean {
  return entry?.name === start && entry?.kind === "folder";
}

async function look({ name, kind, at }: Entry): Promise<FileEntry | undefined> {
  const stat = await maybeLstat(at);
  return stat && { name, kind, bytes: stat.size, modifiedAtMs: Math.floor(stat.mtimeMs) };
}

/** Returns the beginning of a file as text, and the size of the whole file. */
export async function readBeginning(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<{ readonly text: string; readonly bytes: number }> {
  const file = await openFileOrRefuse(folder, name);
  const end = Math.min(file.bytes, maxBytes) - 1;
  const content = await buffer(file.stream({ start: 0, end }));
  return { text: content.subarray(0, maxBytes).toString("utf8"), bytes: file.bytes };
}

export async function checksumFile(
  folder: string,
  name: string,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const file = await openFileOrRefuse(folder, name);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of file.stream() as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

export async function openFileOrRefuse(folder: string, name: string): Promise<OpenFile> {
  const opened = await maybeOpen(folder, name);
  if (!opened) throw absent(name);
  if (opened.kind === "folder") throw new Refusal("malformed", `${opened.path} is a folder and not a file.`);
  return opened.file;
}

function absent(name: string): Refusal {
  return new Refusal("absent", `${name === "" ? "The workspace" : name} does not exist.`);
}
