import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/** A part that has arrived, with the digest of everything in it. */
export interface Received {
  readonly sha256: string;
  readonly bytes: number;
}

/** A smaller part is fetched again, because its note would cost more than its bytes. */
const NOTED_FROM_BYTES = 1 << 20;

interface Arrival {
  readonly from: number;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly onBytes: (count: number) => Promise<void>;
  /** Writes the note about the source, once the part is worth continuing. */
  readonly note: (() => Promise<void>) | undefined;
}

/** Appends arriving chunks to a part, and returns the digest of the whole part. */
export async function receivePart(
  handle: FileHandle,
  { from, chunks, onBytes, note }: Arrival,
): Promise<Received> {
  const hash = createHash("sha256");
  for await (const chunk of contentOfFile(handle, from)) hash.update(chunk);
  let at = from;
  let isNoted = note === undefined;
  for await (const chunk of chunks) {
    await onBytes(chunk.length);
    for (let written = 0; written < chunk.length;)
      written += (await handle.write(chunk, written, chunk.length - written, at + written)).bytesWritten;
    hash.update(chunk);
    at += chunk.length;
    if (isNoted || at < NOTED_FROM_BYTES) continue;
    isNoted = true;
    await note!();
  }
  return { sha256: hash.digest("hex"), bytes: at };
}

const CHUNK_BYTES = 1 << 20;

/** Yields the first bytes of a file, all of them. */
export async function* contentOfFile(handle: FileHandle, bytes: number): AsyncGenerator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes));
  for (let at = 0; at < bytes;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, bytes - at), at);
    if (bytesRead === 0) throw new Error(`A part has ${at} bytes, and ${bytes} were expected.`);
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
