import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Content } from "#backup/manifest";

/** Files that are written and synced with a checksum. */

/** Bytes per read. */
const CHUNK_BYTES = 1 << 20;

export interface CheckedFile {
  write(bytes: Buffer | string): Promise<void>;
  /** Syncs and closes the file, and returns its size and checksum. */
  close(): Promise<Content>;
  /** Closes an unfinished file without syncing the data. */
  abandon(): Promise<void>;
}

/** Creates a file. Fails if the file exists. */
export async function createCheckedFile(file: string, mode = 0o600): Promise<CheckedFile> {
  const handle = await open(file, "wx", mode);
  const hash = createHash("sha256");
  let bytes = 0;
  let last = Promise.resolve();
  return {
    write(part) {
      const buffer = typeof part === "string" ? Buffer.from(part) : part;
      hash.update(buffer);
      bytes += buffer.length;
      // Concurrent writes are queued, in the order of the checksum.
      return (last = last.then(() => writeAll(handle, buffer)));
    },
    async close() {
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      return { bytes, sha256: hash.digest("hex") };
    },
    abandon: () => handle.close(),
  };
}

/** Repeats short writes: the system reports an error only on the next write. */
async function writeAll(handle: FileHandle, buffer: Buffer): Promise<void> {
  for (let at = 0; at < buffer.length;) {
    at += (await handle.write(buffer, at, buffer.length - at)).bytesWritten;
  }
}

/** Writes all parts to a new file. */
export async function writeChecked(
  file: string,
  parts: AsyncIterable<Buffer | string> | Iterable<string>,
  mode?: number,
): Promise<Content> {
  const target = await createCheckedFile(file, mode);
  try {
    for await (const part of parts) await target.write(part);
  } catch (error) {
    await target.abandon();
    throw error;
  }
  return target.close();
}

export async function contentOf(file: string): Promise<Content> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const part of createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    hash.update(part);
    bytes += part.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}

interface Readable {
  readonly bytes: number;
  read(buffer: Buffer, at: number): Promise<number>;
}

/**
 * Yields the file up to its length at opening, or less if the file has become shorter, so even a growing file
 * ends.
 */
export async function* partsOf({ bytes, read }: Readable): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes;) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - at));
    const count = await read(buffer, at);
    if (count === 0) return;
    at += count;
    yield buffer.subarray(0, count);
  }
}

export function isSame(one: Content, other: Content): boolean {
  return one.bytes === other.bytes && one.sha256 === other.sha256;
}
