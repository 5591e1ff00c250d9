import { createHash } from "node:crypto";
import { opendir } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { Refusal } from "#plumbing/errors";
import { type FileEntry, lookAt } from "#workspace/list-files";
import { maybeOpen, type OpenFile } from "#workspace/open-file";
import { cleanPath, enter, type Folder, InTheWay, maybeOpenRoot } from "#workspace/safe-path";

/**
 * What a run wants to know about its own files while it goes on. Bounded in every direction, and never through a link;
 * what is not there or not allowed is a refusal with a sentence.
 */
export interface FolderRequest {
  /** `""` is the workspace itself. */
  readonly name: string;
  readonly isDeep: boolean;
  readonly maxEntries: number;
}

const DEPTH_MAX = 200;

/** What lies in one folder; `isCut` when there is more than was asked for. */
export async function listFolder(
  folder: string,
  request: FolderRequest,
): Promise<{ readonly entries: FileEntry[]; readonly isCut: boolean }> {
  const opened = await openFolder(folder, request.name);
  const found: FileEntry[] = [];
  const prefix = request.name === "" ? "" : `${cleanPath(request.name)}/`;
  await collect(opened, prefix, request, found, 0);
  const isCut = found.length > request.maxEntries;
  const entries = found.slice(0, request.maxEntries).sort((a, b) => (a.name < b.name ? -1 : 1));
  return { entries, isCut };
}

async function openFolder(folder: string, name: string): Promise<Folder> {
  const root = await maybeOpenRoot(folder);
  if (!root) throw absent(name);
  let at = root;
  for (const component of name === "" ? [] : cleanPath(name).split("/")) {
    const next = await enterOrRefuse(at, component, name).finally(() => at.close());
    at = next;
  }
  return at;
}

async function enterOrRefuse(folder: Folder, component: string, name: string): Promise<Folder> {
  try {
    return await enter(folder, component);
  } catch (error) {
    throw error instanceof InTheWay ? absent(name) : error;
  }
}

/** Closes the folder. Stops as soon as there is one entry more than may be told. */
async function collect(
  folder: Folder,
  prefix: string,
  request: FolderRequest,
  found: FileEntry[],
  depth: number,
): Promise<void> {
  try {
    for await (const { name } of await opendir(folder.itself)) {
      if (found.length > request.maxEntries) return;
      const entry = await lookAt(folder, name, prefix);
      if (!entry) continue;
      found.push(entry);
      if (entry.kind !== "folder" || !request.isDeep || depth >= DEPTH_MAX) continue;
      const inner = await maybeEnter(folder, name);
      if (inner) await collect(inner, `${prefix}${name}/`, request, found, depth + 1);
    }
  } finally {
    await folder.close();
  }
}

/** What vanishes or becomes something else while we look is left out. */
async function maybeEnter(folder: Folder, name: string): Promise<Folder | undefined> {
  try {
    return await enter(folder, name);
  } catch (error) {
    if (error instanceof InTheWay) return undefined;
    throw error;
  }
}

/** The beginning of a file as text, and the size of the whole. */
export async function readBeginning(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<{ readonly text: string; readonly bytes: number }> {
  const file = await openOrRefuse(folder, name);
  const end = Math.min(file.bytes, maxBytes) - 1;
  const content = await buffer(file.stream({ start: 0, end }));
  return { text: content.subarray(0, maxBytes).toString("utf8"), bytes: file.bytes };
}

export async function checksumFile(
  folder: string,
  name: string,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const file = await openOrRefuse(folder, name);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of file.stream() as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

export async function openOrRefuse(folder: string, name: string): Promise<OpenFile> {
  const opened = await maybeOpen(folder, name);
  if (!opened) throw absent(name);
  if (opened.kind === "folder") throw new Refusal("malformed", `${opened.path} is a folder and not a file.`);
  return opened.file;
}

function absent(name: string): Refusal {
  return new Refusal("absent", `${name === "" ? "The workspace" : name} does not exist.`);
}
