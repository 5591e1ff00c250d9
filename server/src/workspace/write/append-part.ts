import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { isDiskFull, Refusal } from "#plumbing/errors";
import { noSpace } from "#workspace/write/disk-full";

interface Part {
  readonly offset: number;
  readonly content: Readable;
  readonly fsync: boolean;
}

/** The announced upload, and how many of its bytes have arrived. */
interface Unfinished {
  readonly name: string;
  readonly bytes: number;
  readonly offset: number;
}

/**
 * Appends the new bytes of a part. If the part breaks off, the bytes that arrived are kept, and the next part continues
 * there. A part that exceeds the announced size is refused and leaves the file as it was. A full disk empties the file.
 */
export async function appendPart(file: string, before: Unfinished, part: Part): Promise<void> {
  if (part.offset > before.offset) throw beyond(before, part.offset);
  const handle = await open(file, "r+");
  let known = before.offset - part.offset;
  let end = before.offset;
  try {
    // The client still needs a response: a refusal must not destroy the request stream.
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
    // An upload that cannot be completed must not keep the disk full.
    await handle.truncate(0);
    throw noSpace(before.name, error);
  } finally {
    await handle.close();
  }
}

/** Repeats short writes: a nearly full disk accepts some of the bytes and reports the error only on the next write. */
async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
}

function beyond({ name, offset }: Unfinished, wanted: number): Refusal {
  return new Refusal(
    "conflict",
    `${name}: a part that starts at ${wanted} cannot be accepted, because ${offset} bytes have arrived. ` +
      "Continue there.",
    { errorCode: "upload-offset" },
  );
}

function tooLong({ name, bytes }: Unfinished): Refusal {
  return new Refusal(
    "malformed",
    `${name} was announced with ${bytes} bytes, and more arrived. Start again with its actual size.`,
  );
}
