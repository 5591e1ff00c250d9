import { Readable } from "node:stream";
import { Refusal } from "#plumbing/errors";
import { zip, type ZipEntry } from "#plumbing/zip/zip-writer";
import { tooDeep } from "#workspace/find/list-files";
import { notPermitted, type OpenFile, openAt } from "#workspace/read/open-file";
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
      if (!includes(entry)) continue;
      first ??= entry.name;
      count += 1;
      directoryBytes += RECORD_BYTES + Buffer.byteLength(entry.name);
    }
    if (directoryBytes > DIRECTORY_BYTES_MAX) throw tooLarge(count);
  }
  return { count, first };
}

/**
 * Returns a zip of these files, made while it is read: one file is open at a time. A file that vanishes or becomes a
 * link during that time is left out. Any other error breaks the stream off, so that no client takes a part for the
 * whole.
 */
export function zipStream(folder: string, selection: Selection): Readable {
  const chunks = zip(entriesOf(folder, selection));
  return Readable.from(chunks, { objectMode: false, highWaterMark: 1 << 20 });
}

async function* entriesOf(folder: string, { start, includes }: Selection): AsyncGenerator<ZipEntry> {
  for await (const batch of walk(folder, { start, onGap: refuseGap })) {
    for (const entry of batch) {
      const file = includes(entry) ? await openUnlessGone(entry) : undefined;
      if (!file) continue;
      const { modifiedAtMs, mode, bytes } = file;
      yield { name: entry.name, modifiedAtMs, mode, bytes, content: file.stream() };
    }
  }
}

async function openUnlessGone({ at, name }: Entry): Promise<OpenFile | undefined> {
  try {
    const opened = await openAt(at, name);
    return opened?.kind === "file" ? opened.file : undefined;
  } catch (error) {
    if (error instanceof Refusal && error.kind === "malformed") return undefined; // became a link
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
