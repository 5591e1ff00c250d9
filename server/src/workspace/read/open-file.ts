import { constants, open, type FileHandle } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type CopyOptions, copyFile } from "#plumbing/files/copy-file";
import { mayExecute, modeOf } from "#plumbing/files/file-mode";
import { codeOf, Refusal } from "#plumbing/errors";
import { piecesOf, streamOf } from "#workspace/read/file-stream";
import {
  cleanPath,
  closing,
  HAS_PROC,
  InTheWay,
  isNotPermitted,
  maybeOpenRoot,
  type SystemPath,
  walkToParent,
} from "#workspace/safe-path";

/** A file held open: all reads return the same file from beginning to end, even if another file takes its name. */
export interface OpenFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedAtMs: number;
  /** Permission bits, such as `0o644`. */
  readonly mode: number;
  /** Changes with the file's content: made of its inode, size and modification time in nanoseconds. */
  readonly etag: string;
  /** Fills the buffer from this offset and returns the number of bytes read. Close the file after the last read. */
  read(buffer: Buffer, at: number): Promise<number>;
  /**
   * Returns a stream of the range, both ends included. It ends with an error if the file turns out to be shorter. The
   * stream closes the file when it has ended or was destroyed.
   */
  stream(range?: { readonly start: number; readonly end: number }): Readable;
  /**
   * Yields the content like `stream`, and costs less: a stream leaves 3 KB that V8 frees only when it collects old memory.
   * Closes the file at the end, or when the iteration ends early.
   */
  pieces(): AsyncGenerator<Buffer>;
  /** Copies the file to a new path on this machine, with the execute bit. */
  copyTo(target: string, options: CopyOptions): Promise<number>;
  /** Hands the open descriptor to other code, and closes the file when the work has ended. */
  using<Result>(work: (descriptor: number) => Promise<Result>): Promise<Result>;
  /** Closes a file that is not streamed. Safe to call twice, and without effect once a stream was requested. */
  close(): Promise<void>;
}

export type Opened =
  | { readonly kind: "file"; readonly file: OpenFile }
  | { readonly kind: "folder"; readonly path: string };

/** Never waits for the other end of a pipe, never follows a link. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file or a folder. Returns undefined if it does not exist or is behind a link. If the last component is a
 * link, it is refused. `shown` is the name in messages and in the result.
 */
export async function maybeOpen(folder: string, name: string, shown?: string): Promise<Opened | undefined> {
  const clean = cleanPath(name);
  const root = await maybeOpenRoot(folder);
  if (!root) return undefined;
  try {
    const { parent, name: last } = await walkToParent(root, clean);
    return await closing(parent, () => openAt(parent.at(last), shown ?? clean));
  } catch (error) {
    if (error instanceof InTheWay) return undefined;
    if (isNotPermitted(error)) throw notPermitted(clean, error);
    throw error;
  }
}

/** Opens the entry at a path of the system; `name` is used in messages. */
export async function openAt(target: SystemPath, name: string): Promise<Opened | undefined> {
  const handle = await maybeHandle(target, name);
  if (!handle) return undefined;
  const stat = await handle.stat({ bigint: true });
  if (stat.isFile()) return { kind: "file", file: openFile(handle, name, stat) };
  await handle.close();
  return stat.isDirectory() ? { kind: "folder", path: name } : undefined;
}

async function maybeHandle(target: SystemPath, name: string): Promise<FileHandle | undefined> {
  try {
    return await open(target, OPEN_FILE);
  } catch (error) {
    switch (codeOf(error)) {
      case "ENOENT":
      case "ENAMETOOLONG":
      case "ENXIO": // a socket, or a device without a driver
        return undefined;
      case "ELOOP":
        throw notFollowed(name);
      default:
        throw error;
    }
  }
}

/** Refuses a link in REANA's words. */
export function notFollowed(name: string): Refusal {
  return new Refusal("malformed", `Opening symlink '${name}' is not allowed`, { errorCode: "symlink" });
}

export function isNotFollowed(error: unknown): boolean {
  return error instanceof Refusal && error.errorCode === "symlink";
}

export function notPermitted(name: string, cause: unknown): Refusal {
  return new Refusal("forbidden", `${name} cannot be read: its permissions do not allow it.`, { cause });
}

/** Copies the bytes through this process, on systems where an open file has no path. */
async function pourInto(target: string, file: OpenFile, onBytes: CopyOptions["onBytes"]): Promise<number> {
  const mode = modeOf(mayExecute(file.mode));
  const source = file.stream();
  if (onBytes) source.on("data", (chunk: Buffer) => onBytes(chunk.length));
  await pipeline(source, createWriteStream(target, { flags: "wx", mode }));
  return file.bytes;
}

interface BigStat {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mode: bigint;
  readonly mtimeNs: bigint;
  readonly mtimeMs: bigint;
}

function openFile(handle: FileHandle, path: string, stat: BigStat): OpenFile {
  const bytes = Number(stat.size);
  let isTaken = false;
  return {
    path,
    bytes,
    modifiedAtMs: Number(stat.mtimeMs),
    mode: Number(stat.mode) & 0o777,
    etag: `"${stat.ino.toString(36)}-${stat.size.toString(36)}-${stat.mtimeNs.toString(36)}"`,
    read: async (buffer, at) => (await handle.read(buffer, 0, buffer.length, at)).bytesRead,
    stream({ start, end } = { start: 0, end: bytes - 1 }) {
      isTaken = true;
      return streamOf(handle, { start, bytes: end - start + 1 });
    },
    pieces() {
      isTaken = true;
      return piecesOf(handle, bytes);
    },
    async copyTo(target, options) {
      if (HAS_PROC) return copyFile(`/proc/self/fd/${handle.fd}`, target, options);
      return pourInto(target, this, options.onBytes);
    },
    async using(work) {
      isTaken = true;
      return closing(handle, () => work(handle.fd));
    },
    async close() {
      if (isTaken) return;
      isTaken = true;
      await handle.close();
    },
  };
}
