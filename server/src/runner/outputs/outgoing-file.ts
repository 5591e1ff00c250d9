import { createHash } from "node:crypto";
import { Refusal } from "#plumbing/errors";
import type { OutgoingContent } from "#workflow/data-store";
import type { OpenFile } from "#workspace/read/open-file";

const CHUNK_BYTES = 256 << 10;

/** Returns the content of an open file, with its checksum. Refuses a file that differs from the recorded checksum. */
export async function withDigest(
  file: OpenFile,
  recorded: string | undefined,
  signal: AbortSignal,
): Promise<OutgoingContent> {
  const { bytes, path } = file;
  const range = (start: number, end: number) => rangeOf(file, start, end);
  const hash = createHash("sha256");
  for await (const chunk of range(0, bytes)) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  const sha256 = hash.digest("hex");
  if (recorded === undefined || recorded === sha256) return { bytes, sha256, range };
  throw changed(path);
}

/** Returns bytes in memory as outgoing content. */
export function contentOf(body: Buffer): OutgoingContent {
  return {
    bytes: body.length,
    sha256: createHash("sha256").update(body).digest("hex"),
    async *range(start, end) {
      yield body.subarray(start, end);
    },
  };
}

async function* rangeOf(file: OpenFile, start: number, end: number): AsyncGenerator<Uint8Array, void> {
  for (let at = start; at < end;) {
    // A request may still hold the chunk before.
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
    const count = await file.read(buffer, at);
    if (count === 0) throw changed(file.path);
    yield buffer.subarray(0, count);
    at += count;
  }
}

function changed(path: string): Refusal {
  return new Refusal("conflict", `${path} has changed since the end of the run. Start the run again.`);
}
