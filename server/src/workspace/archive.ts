import { Readable } from "node:stream";
import { Refusal } from "#plumbing/errors";
import { zip, type ZipEntry } from "#plumbing/zip-writer";
import { tooDeep } from "#workspace/list-files";
import { notPermitted, type OpenFile, openAt } from "#workspace/open-file";
import { isNotPermitted } from "#workspace/safe-path";
import type { Selection } from "#workspace/selection";
import { type Entry, type Gap, walk } from "#workspace/walk";

/** What the directory at a zip's end may take while it waits in memory: about half a million files. */
const DIRECTORY_BYTES_MAX = 64 << 20;
/** Of an entry in it, without the name. */
const RECORD_BYTES = 100;

/** How many files an archive would have, and the first one. Refuses what cannot be archived whole. */
export async function survey(
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
 * A zip of these files, made while it is read: one file is open at a time. One that vanishes meanwhile, or turns into a
 * link, is left out; whatever else goes wrong breaks the stream off, so that nobody takes a part for the whole.
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
    if (error instanceof Refusal && error.kind === "malformed") return undefined; // a link by now
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
