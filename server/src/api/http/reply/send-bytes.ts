import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { OpenFile } from "#operations/files/download-file";

/**
 * Number of bytes that are read at a time. Two buffers take turns, one being read into while the other is sent. A new
 * buffer for each chunk, as streams make them, leaves gigabytes of garbage, and collecting it halves the speed of a
 * server whose heap is larger than an empty one's (measured: 1.1 s against 0.65 s for 1 GiB).
 */
const CHUNK_BYTES = 1 << 20;

/**
 * Sends a range of a file. If the file turns out shorter, the connection breaks: a part must not pass for the whole.
 */
export async function sendBytes(
  reply: FastifyReply,
  file: OpenFile,
  range: { readonly start: number; readonly bytes: number },
): Promise<void> {
  const response = reply.raw;
  reply.hijack();
  response.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
  try {
    await pump(response, file, range);
    response.end();
  } catch (error) {
    // A disconnected client needs no reply.
    const isGone = response.destroyed;
    response.destroy();
    if (!isGone) throw error;
  }
}

async function pump(
  response: ServerResponse,
  file: OpenFile,
  { start, bytes }: { readonly start: number; readonly bytes: number },
): Promise<void> {
  const size = Math.min(CHUNK_BYTES, bytes);
  let [next, other] = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(bytes > size ? size : 0)];
  let writing = Promise.resolve();
  for (let sent = 0; sent < bytes;) {
    const length = await file.read(next.subarray(0, bytes - sent), start + sent);
    if (length === 0)
      throw new Error(`The file became shorter while it was read: ${sent} of ${bytes} bytes were sent.`);
    await writing;
    writing = writeToEnd(response, next.subarray(0, length));
    // A write may reject during the read of the next chunk, before its `await`. An unhandled rejection would
    // end the process.
    writing.catch(() => undefined);
    sent += length;
    [next, other] = [other, next];
  }
  await writing;
}

/** Resolves when the system has taken the bytes and their buffer is free again. Rejects if the client has gone. */
export function writeToEnd(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new Error("The client went away."));
    if (response.destroyed) return leave();
    response.once("close", leave);
    response.write(chunk, (error) => {
      response.off("close", leave);
      if (error) reject(error);
      else resolve();
    });
  });
}
