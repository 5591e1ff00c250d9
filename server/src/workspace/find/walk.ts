import { FOLDERS_DEEP_MAX } from "#plumbing/files/relative-path";
import { isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { codeOf } from "#plumbing/errors";
import {
  closingAfter,
  enter,
  type Folder,
  InTheWay,
  isNotPermitted,
  maybeLstat,
  maybeOpenRoot,
  type SystemPath,
  walkToParent,
} from "#workspace/safe-path";

/**
 * An entry of a workspace. Entries come in batches and never all at once: there may be millions, and a job may add more
 * during the walk. Links are returned and never followed; pipes, sockets and devices are skipped. Entries that vanish
 * or change their kind during the walk are left out.
 */
export interface Entry {
  /** Path relative to the workspace, with `/`. A name that is not UTF-8 has replacement characters. */
  readonly name: string;
  readonly kind: "file" | "link" | "folder";
  /** System path of the entry, valid until the next batch is taken. */
  readonly at: SystemPath;
}

/** A folder that the walk cannot enter. The walk continues without the folder, unless `onGap` throws. */
export interface Gap {
  readonly name: string;
  readonly why: "too-deep" | "not-permitted";
}

export interface WalkRequest {
  /** Clean path. Limits the walk to this entry and its contents. */
  readonly start?: string | undefined;
  readonly onGap: (gap: Gap) => void;
}

/** Entries per batch, which the consumer usually looks at concurrently. */
const BATCH_ENTRIES = 128;

export async function* walk(folder: string, { start, onGap }: WalkRequest): AsyncGenerator<readonly Entry[]> {
  const root = await maybeOpenRoot(folder);
  if (!root) return;
  if (start === undefined) yield* closingAfter(root, below(root, "", onGap));
  else yield* from(root, start, onGap);
}

async function* from(
  root: Folder,
  start: string,
  onGap: WalkRequest["onGap"],
): AsyncGenerator<readonly Entry[]> {
  const place = await maybeWalkToParent(root, start);
  if (!place) return;
  const { parent, name } = place;
  yield* closingAfter(parent, oneAndBelow(parent, { name: start, last: name }, onGap));
}

async function maybeWalkToParent(root: Folder, start: string) {
  try {
    return await walkToParent(root, start);
  } catch (error) {
    if (error instanceof InTheWay) return undefined;
    throw error;
  }
}

async function* oneAndBelow(
  parent: Folder,
  { name, last }: { readonly name: string; readonly last: string },
  onGap: WalkRequest["onGap"],
): AsyncGenerator<readonly Entry[]> {
  const at = parent.at(last);
  const stat = await maybeLstat(at);
  const kind = stat && kindOf(stat);
  if (!kind) return;
  const entry: Entry = { name, kind, at };
  yield [entry];
  if (kind === "folder") yield* inside(parent, entry, last, onGap);
}

async function* below(
  folder: Folder,
  prefix: string,
  onGap: WalkRequest["onGap"],
): AsyncGenerator<readonly Entry[]> {
  const folders: { readonly entry: Entry; readonly name: SystemPath }[] = [];
  for await (const dirents of read(folder)) {
    const batch: Entry[] = [];
    for (const dirent of dirents) {
      const kind = kindOf(dirent);
      if (!kind) continue;
      const name = nameOf(dirent.name);
      const entry = { name: `${prefix}${dirent.name.toString()}`, kind, at: folder.at(name) };
      batch.push(entry);
      if (kind === "folder") folders.push({ entry, name });
    }
    yield batch;
  }
  for (const { entry, name } of folders) yield* inside(folder, entry, name, onGap);
}

async function* inside(
  folder: Folder,
  entry: Entry,
  name: SystemPath,
  onGap: WalkRequest["onGap"],
): AsyncGenerator<readonly Entry[]> {
  if (entry.name.split("/").length > FOLDERS_DEEP_MAX) return onGap({ name: entry.name, why: "too-deep" });
  const inner = await maybeEnter(folder, name);
  if (inner === "not-permitted") return onGap({ name: entry.name, why: "not-permitted" });
  if (inner) yield* closingAfter(inner, below(inner, `${entry.name}/`, onGap));
}

async function maybeEnter(folder: Folder, name: SystemPath): Promise<Folder | "not-permitted" | undefined> {
  try {
    return await enter(folder, name);
  } catch (error) {
    if (error instanceof InTheWay) return undefined;
    if (isNotPermitted(error)) return "not-permitted";
    throw error;
  }
}

/** Node's types do not cover names as bytes here. */
const READ_OPTIONS = { encoding: "buffer" as BufferEncoding, bufferSize: BATCH_ENTRIES };

/** Reads the entries of one folder. Yields no entries if the folder was removed after opening. */
export async function* read(folder: Folder): AsyncGenerator<readonly Dirent<Buffer>[]> {
  try {
    const entries = (await opendir(folder.itself, READ_OPTIONS)) as AsyncIterable<unknown> as AsyncIterable<
      Dirent<Buffer>
    >;
    let batch: Dirent<Buffer>[] = [];
    for await (const entry of entries) {
      batch.push(entry);
      if (batch.length < BATCH_ENTRIES) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

function nameOf(raw: Buffer): SystemPath {
  return isUtf8(raw) ? raw.toString() : raw;
}

interface Kinds {
  isFile(): boolean;
  isSymbolicLink(): boolean;
  isDirectory(): boolean;
}

export function kindOf(it: Kinds): Entry["kind"] | undefined {
  if (it.isFile()) return "file";
  if (it.isDirectory()) return "folder";
  return it.isSymbolicLink() ? "link" : undefined;
}
