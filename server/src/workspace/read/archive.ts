import { Readable } from "node:stream";
import { Refusal } from "#plumbing/errors";
import { zip, type ZipEntry } from "#plumbing/zip/zip-writer";
import { tooDeep } from "#workspace/find/list-files";
import { isNotFollowed, notPermitted, type OpenFile, openAt } from "#workspace/read/open-file";
import { maybeOpenLinked } from "#workspace/read/open-linked";
import { isNotPermitted } from "#workspace/safe-path";
import type { Selection } from "#workspace/find/selection";
import { type Entry, type Gap, walk } from "#workspace/find/walk";

/** Largest central directory of a zip, which waits in memory: enough for about half a million files. */
const DIRECTORY_BYTES_MAX = 64 << 20;
/** Bytes of one directory entry, without the name. */
const RECORD_BYTES = 100;

/**
 * Returns how many files an archive would have, and the first one. Refuses files that cannot be archived completely.
 */
export async function checkArchive(
  folder: string,
  { start, includes }: Selection,
): Promise<{ readonly count: number; readonly first: string | undefined }> {
  let count = 0;
  let directoryBytes = 0;
  let first: string | undefined;
  for await (const batch of walk(folder, { start, onGap: refuseGap })) {
    for (const entry of batch) {
      if (!includes(entry) || !(await isArchived(folder, entry))) continue;
      first ??= entry.name;
      count += 1;
      directoryBytes += RECORD_BYTES + Buffer.byteLength(entry.name);
    }
    if (directoryBytes > DIRECTORY_BYTES_MAX) throw tooLarge(count);
  }
  return { count, first };
}

/** Returns whether an entry is a file, or a link to a file of the workspace. */
async function isArchived(folder: string, { name, kind }: Entry): Promise<boolean> {
  if (kind !== "link") return true;
  const file = await maybeLinkedFile(folder, name);
  await file?.close();
  return file !== undefined;
}

/** Opens the file that a link leads to. Returns undefined for a link that leads out of the workspace or to no file. */
async function maybeLinkedFile(folder: string, name: string): Promise<OpenFile | undefined> {
  try {
    const opened = await maybeOpenLinked(folder, name);
    return opened?.kind === "file" ? opened.file : undefined;
  } catch (error) {
    if (isNotFollowed(error)) return undefined;
    throw error;
  }
}

/**
 * Returns a zip of the files as a stream, with one file open at a time. A link to a file of the workspace is
 * archived as the file. Other links, and files that vanish during the reading, are left out. Any other error
 * aborts the stream, because a client must not take a partial archive for the whole.
 */
export function zipStream(folder: string, selection: Selection): Readable {
  const chunks = zip(entriesOf(folder, selection));
  return Readable.from(chunks, { objectMode: false, highWaterMark: 1 << 20 });
}

async function* entriesOf(folder: string, selection: Selection): AsyncGenerator<ZipEntry> {
  for await (const file of openFiles(folder, selection)) {
    const { path, modifiedAtMs, mode, bytes } = file;
    yield { name: path, modifiedAtMs, mode, bytes, content: file.pieces() };
  }
}

/**
 * Opens the selected files one after another, each under its path or the path of the link that leads to it. Each must be
 * streamed or closed before the next is taken.
 */
export async function* openFiles(folder: string, { start, includes }: Selection): AsyncGenerator<OpenFile> {
  for await (const batch of walk(folder, { start, onGap: refuseGap })) {
    for (const entry of batch) {
      const file = includes(entry) ? await openUnlessGone(folder, entry) : undefined;
      if (file) yield { ...file, path: entry.name };
    }
  }
}

async function openUnlessGone(folder: string, { at, name, kind }: Entry): Promise<OpenFile | undefined> {
  if (kind === "link") return maybeLinkedFile(folder, name);
  try {
    const opened = await openAt(at, name);
    return opened?.kind === "file" ? opened.file : undefined;
  } catch (error) {
    if (isNotFollowed(error)) return undefined; // became a link
    if (isNotPermitted(error)) throw notPermitted(name, error);
    throw error;
  }
}

function refuseGap(gap: Gap): void {
  throw gap.why === "too-deep" ? tooDeep(gap) : notPermitted(gap.name, undefined);
}

function tooLarge(count: number): Refusal {
  const sentence = `More than ${count} files do not fit into one archive. Download the folders in it one after another.`;
  return new Refusal("malformed", sentence);
}
