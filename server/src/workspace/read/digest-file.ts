import { createHash } from "node:crypto";
import type { Algorithm } from "#workflow/job/job";
import type { FileThreads } from "#workspace/threads/file-threads";
import type { OpenFile } from "#workspace/read/open-file";

export interface Digested {
  readonly bytes: number;
  /** Hex. */
  readonly digest: string;
}

/**
 * Size up to which a file is read without a thread. A thread takes 30 ms to start; hashing this size takes
 * 0.5 ms.
 */
export const INLINE_MAX_BYTES = 256 << 10;

/** Reads a whole file and closes it. */
export async function digestFile(
  file: OpenFile,
  algorithm: Algorithm,
  threads: FileThreads,
  signal: AbortSignal,
): Promise<Digested> {
  const { bytes } = file;
  return file.using(async (descriptor) => {
    const digest =
      bytes > INLINE_MAX_BYTES
        ? await threads.work({ do: "hash", descriptor, bytes, algorithm }, signal)
        : digestOf(await contentOf(file), algorithm);
    return { bytes, digest };
  });
}

export function digestOf(content: Uint8Array, algorithm: Algorithm): string {
  return createHash(algorithm).update(content).digest("hex");
}

/** Returns the content of a small file. */
export async function contentOf(file: Pick<OpenFile, "bytes" | "read">): Promise<Buffer> {
  const content = Buffer.alloc(file.bytes);
  for (let at = 0; at < content.length;) {
    const count = await file.read(content.subarray(at), at);
    if (count === 0)
      throw new Error(`The file became shorter while it was read: it ends at ${at} of ${file.bytes}.`);
    at += count;
  }
  return content;
}
