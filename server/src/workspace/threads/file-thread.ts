import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { setImmediate } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import { codeOf, messageOf } from "#plumbing/errors";
import type { CopyWork, FileWork, WorkReply, WorkRequest } from "#workspace/threads/file-work";
import { HAS_PROC } from "#workspace/safe-path";

/**
 * The thread of `file-threads.ts`. Works on its files in turn, one slice at a time, because a small file must
 * not wait for a large file. Receives cancellations between slices.
 */
const SLICE_BYTES = 4 << 20;
/** Large enough for few calls, small enough to stay in the processor's cache. */
const CHUNK_BYTES = 256 << 10;

const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
const aborted = new Set<number>();

parentPort!.on("message", (request: WorkRequest) => {
  if ("work" in request) void answer(request.id, request.work);
  else aborted.add(request.id);
});

async function answer(id: number, work: FileWork): Promise<void> {
  const reply = await replyTo(id, work);
  aborted.delete(id);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread's port is no window.
  parentPort!.postMessage(reply);
}

async function replyTo(id: number, work: FileWork): Promise<WorkReply> {
  try {
    return { id, digest: work.do === "copy" ? await copy(id, work) : await read(id, work, () => undefined) };
  } catch (error) {
    return { id, error: { message: messageOf(error), code: codeOf(error) } };
  }
}

/** Copies as a clone if the file system can share blocks. The digest is that of the bytes in the copy. */
async function copy(id: number, work: CopyWork): Promise<string> {
  const isCloned = maybeClone(work);
  const target = openSync(work.target, isCloned ? "r+" : "wx", 0o600);
  try {
    const digest = isCloned
      ? await read(id, { ...work, descriptor: target }, () => undefined)
      : await read(id, work, (chunk) => writeAll(target, chunk));
    fchmodSync(target, work.mode);
    if (work.fsync) fsyncSync(target);
    return digest;
  } finally {
    closeSync(target);
  }
}

function maybeClone({ descriptor, target }: CopyWork): boolean {
  if (!HAS_PROC) return false;
  try {
    const how = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE;
    copyFileSync(`/proc/self/fd/${descriptor}`, target, how);
    return true;
  } catch (error) {
    // File systems without clone support report various errors. The copy meets any real error again.
    if (codeOf(error) === "EEXIST") throw error;
    return false;
  }
}

type Read = Pick<FileWork, "descriptor" | "bytes" | "algorithm">;

async function read(
  id: number,
  { descriptor, bytes, algorithm }: Read,
  use: (chunk: Buffer) => void,
): Promise<string> {
  const hash = createHash(algorithm);
  for (let at = 0; at < bytes;) {
    const end = Math.min(bytes, at + SLICE_BYTES);
    while (at < end) {
      const count = readSync(descriptor, buffer, 0, Math.min(CHUNK_BYTES, end - at), at);
      if (count === 0)
        throw new Error(`The file became shorter while it was read: it ends at ${at} of ${bytes}.`);
      const chunk = buffer.subarray(0, count);
      hash.update(chunk);
      use(chunk);
      at += count;
    }
    await setImmediate();
    if (aborted.has(id)) throw new Error("The work on the file was aborted.");
  }
  return hash.digest("hex");
}

function writeAll(target: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length;) at += writeSync(target, chunk, at);
}
