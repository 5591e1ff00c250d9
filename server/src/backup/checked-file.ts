import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Content } from "#backup/manifest";

/** Files that are written for good, with a checksum of what went in. */

/** Read at once. */
const CHUNK_BYTES = 1 << 20;

export interface CheckedFile {
  write(bytes: Buffer | string): Promise<void>;
  /** All of it is on the disk by then. */
  close(): Promise<Content>;
  /** For who gives up. */
  abandon(): Promise<void>;
}

/** A file that is not there yet. */
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
      // Several may write: each after the one before, in the order of the checksum.
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

/** A short write is no error to the system, only the next one is. */
async function writeAll(handle: FileHandle, buffer: Buffer): Promise<void> {
  for (let at = 0; at < buffer.length;) {
    at += (await handle.write(buffer, at, buffer.length - at)).bytesWritten;
  }
}

/** All that comes, piece by piece, in a new file. */
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

/** As long as it was when it was opened, or shorter if it has become so: what is written to for ever has an end here. */
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
