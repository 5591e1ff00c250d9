import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { isDiskFull, Refusal } from "#plumbing/errors";
import { noSpace } from "#workspace/disk-full";

interface Part {
  readonly offset: number;
  readonly content: Readable;
  readonly fsync: boolean;
}

/** What is to come, and how much of it has. */
interface Unfinished {
  readonly name: string;
  readonly bytes: number;
  readonly offset: number;
}

/**
 * Appends what is new of a part. A part that breaks off leaves what came of it: the next one begins there. One that goes
 * past the size that was announced is refused, and leaves what was there before. A full disk keeps nothing of the file.
 */
export async function appendPart(file: string, before: Unfinished, part: Part): Promise<void> {
  if (part.offset > before.offset) throw beyond(before, part.offset);
  const handle = await open(file, "r+");
  let known = before.offset - part.offset;
  let end = before.offset;
  try {
    // Whoever sends it is still to be answered: a refusal must not break off what comes.
    for await (const chunk of part.content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const fresh = chunk.subarray(Math.min(known, chunk.length));
      known -= chunk.length - fresh.length;
      if (end + fresh.length > before.bytes) {
        await handle.truncate(before.offset);
        throw tooLong(before);
      }
      await writeAll(handle, fresh, end);
      end += fresh.length;
    }
    if (part.fsync) await handle.sync();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // What cannot be completed is not to keep the disk full.
    await handle.truncate(0);
    throw noSpace(before.name, error);
  } finally {
    await handle.close();
  }
}

/** A disk that is nearly full takes a part of it, and says so only when asked again. */
async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
}

function beyond({ name, offset }: Unfinished, wanted: number): Refusal {
  return new Refusal(
    "conflict",
    `${name}: a part that begins at ${wanted} cannot be taken, because ${offset} bytes have come. Go on there.`,
    { errorCode: "upload-offset" },
  );
}

function tooLong({ name, bytes }: Unfinished): Refusal {
  return new Refusal(
    "malformed",
    `${name} was announced with ${bytes} bytes, and more came. Begin again with its size.`,
  );
}
