import { constants, open, type FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import { codeOf, Refusal } from "#plumbing/errors";
import { cleanPath, InTheWay, maybeOpenRoot, walkToParent } from "#workspace/safe-path";

/** A file held open: what is read is one file from beginning to end, also when another takes its name meanwhile. */
export interface OpenFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedAtMs: number;
  /** Changes with the file's content: its identity, size and time of change to the nanosecond. */
  readonly etag: string;
  /** Both ends included. The file is closed when the stream has ended. */
  stream(range?: { readonly start: number; readonly end: number }): Readable;
  /** For who does not read it after all; safe twice. */
  close(): Promise<void>;
}

export type Opened = { readonly kind: "file"; readonly file: OpenFile } | { readonly kind: "folder"; readonly path: string };

const CHUNK_BYTES = 1 << 20;
/** Never waits for the other end of a pipe, never follows a link. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Nothing when there is no such file or folder, or only through a link. A link at the end itself is refused. */
export async function maybeOpen(folder: string, name: string): Promise<Opened | undefined> {
  const clean = cleanPath(name);
  const root = await maybeOpenRoot(folder);
  if (!root) return undefined;
  try {
    const { parent, name: last } = await walkToParent(root, clean, { make: false });
    return await openAt(parent.at(last), clean).finally(() => parent.close());
  } catch (error) {
    if (error instanceof InTheWay) return undefined;
    throw error;
  }
}

async function openAt(target: string, clean: string): Promise<Opened | undefined> {
  const handle = await maybeHandle(target, clean);
  if (!handle) return undefined;
  const stat = await handle.stat({ bigint: true });
  if (stat.isFile()) return { kind: "file", file: openFile(handle, clean, stat) };
  await handle.close();
  return stat.isDirectory() ? { kind: "folder", path: clean } : undefined;
}

async function maybeHandle(target: string, clean: string): Promise<FileHandle | undefined> {
  try {
    return await open(target, OPEN_FILE);
  } catch (error) {
    switch (codeOf(error)) {
      case "ENOENT":
      case "ENXIO": // a socket, or a device without a driver
        return undefined;
      case "ELOOP":
        throw new Refusal("malformed", `Opening symlink '${clean}' is not allowed`);
      default:
        throw error;
    }
  }
}

function openFile(
  handle: FileHandle,
  path: string,
  stat: { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint; readonly mtimeMs: bigint },
): OpenFile {
  let isClosed = false;
  return {
    path,
    bytes: Number(stat.size),
    modifiedAtMs: Number(stat.mtimeMs),
    etag: `"${stat.ino.toString(36)}-${stat.size.toString(36)}-${stat.mtimeNs.toString(36)}"`,
    stream(range = { start: 0, end: Number(stat.size) - 1 }) {
      isClosed = true;
      const { start, end } = range;
      // A stream of no bytes cannot be said with an end before the start.
      const limits = end < start ? { start: 0, end: 0, highWaterMark: 1 } : { start, end, highWaterMark: CHUNK_BYTES };
      return handle.createReadStream(limits);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await handle.close();
    },
  };
}
