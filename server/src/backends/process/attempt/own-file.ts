import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import type { Found } from "#backends/process/attempt/damaged-attempt";
import { codeOf } from "#plumbing/errors";

/** A regular file, held open. The caller closes it. */
export interface OwnFile {
  readonly fd: number;
  readonly bytes: number;
}

const FLAGS = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT,
  replace: constants.O_WRONLY | constants.O_TRUNC | constants.O_CREAT,
} as const;

export type OpenMode = keyof typeof FLAGS;

/** Follows no link, and does not wait for the other end of a named pipe. */
const CAREFULLY = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file of Reprise's own in a folder that jobs can reach: a job runs as the server's user, and can put anything
 * in its place. Returns what was found if that is not a regular file, and undefined if the file does not exist.
 */
export function maybeOpenOwn(file: string, how: OpenMode): OwnFile | Found | undefined {
  try {
    const fd = openSync(file, FLAGS[how] | CAREFULLY, 0o600);
    const stat = fstatSync(fd);
    if (stat.isFile()) return { fd, bytes: stat.size };
    closeSync(fd);
    return kindOf(stat);
  } catch (error) {
    switch (codeOf(error)) {
      case "ENOENT":
        return undefined;
      case "ELOOP":
        return "link";
      case "EISDIR":
        return "folder";
      case "EACCES":
      case "EPERM":
        return "unreadable";
      case "ENXIO": // a pipe without a reader, opened for writing; a socket; a device without a driver
        return kindOf(lstatSync(file, { throwIfNoEntry: false }));
      default:
        throw error;
    }
  }
}

/** Reads a file as a whole, and closes it. Returns undefined if the file is longer than `maxBytes`. */
export function maybeReadOwn({ fd, bytes }: OwnFile, maxBytes: number): Buffer | undefined {
  try {
    if (bytes > maxBytes) return undefined;
    const buffer = Buffer.allocUnsafe(bytes);
    return buffer.subarray(0, readSync(fd, buffer, 0, bytes, 0));
  } finally {
    closeSync(fd);
  }
}

/** Writes the content of a file that was opened to be replaced, and closes the file. */
export function writeOwn({ fd }: OwnFile, content: string | Uint8Array): void {
  try {
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}

function kindOf(stat: Stats | undefined): Found {
  if (stat?.isFIFO()) return "pipe";
  return stat?.isDirectory() ? "folder" : "special";
}
