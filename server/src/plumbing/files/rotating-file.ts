import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import type { Clock } from "#plumbing/clock";
import { codeOf, messageOf } from "#plumbing/errors";

/** Limits of an append-only file, and the number of rotated files to keep. */
export interface Rotation {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Number of rotated files to keep; `server.log.1` is the newest. */
  readonly kept: number;
  readonly clock: Pick<Clock, "now">;
}

export interface RotatingFile {
  fd(): number;
  /**
   * Returns whether the last line of the file is incomplete, because an earlier server could write only a
   * part.
   */
  endsWithinLine(): boolean;
  /** Makes the next `settle` open the file again by its name. */
  reopenNext(): void;
  /** Rotates the file if it is large or old enough. Call it when no write is under way. It never throws. */
  settle(): void;
  close(): void;
}

/**
 * Opens the file for appending, readable by its owner alone, and creates a missing folder. Calls `report`
 * once if rotation fails.
 */
export function openRotatingFile(
  file: string,
  report: (sentence: string) => void,
  rotation?: Rotation,
): RotatingFile {
  let fd = openToAppend(file);
  let mustReopen = false;
  let isReported = false;

  /** Opens before closing or moving anything, so that a failure leaves the present file in use. */
  function use(open: () => number): void {
    const next = open();
    closeSync(fd);
    fd = next;
  }

  return {
    fd: () => fd,
    endsWithinLine: () => endsWithinLine(fd),
    reopenNext: () => void (mustReopen = true),
    settle() {
      try {
        // First, because the size and the age of a moved file do not apply to the new file of this name.
        if (mustReopen) use(() => openToAppend(file));
        mustReopen = false;
        if (rotation && isLargeOrOld(fd, rotation)) use(() => startAnother(file, rotation.kept));
      } catch (error) {
        const failure = `The log ${file} cannot be rotated: ${messageOf(error)}`;
        if (!isReported) report(`${failure}. Its file grows further.`);
        isReported = true;
      }
    },
    close: () => closeSync(fd),
  };
}

function openToAppend(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  return openSync(file, "a+", 0o600);
}

function endsWithinLine(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last.toString() !== "\n";
}

function isLargeOrOld(fd: number, { maxBytes, maxAgeMs, clock }: Rotation): boolean {
  const { size, birthtimeMs } = fstatSync(fd);
  if (size === 0) return false;
  // Some file systems do not record when a file was made. There only the size counts.
  return size >= maxBytes || (birthtimeMs > 0 && clock.now() - birthtimeMs >= maxAgeMs);
}

/** Opens an empty file, moves the present file out of the way, and renames the new file. */
function startAnother(file: string, kept: number): number {
  const made = `${file}.new`;
  rmSync(made, { force: true });
  const fd = openToAppend(made);
  try {
    if (kept > 0) moveAside(file, kept);
    renameSync(made, file);
    return fd;
  } catch (error) {
    closeSync(fd);
    rmSync(made, { force: true });
    throw error;
  }
}

/** Gives each file the next number, up to the first free one. If none is free, the oldest is replaced. */
function moveAside(file: string, kept: number): void {
  const numbered = (number: number) => (number === 0 ? file : `${file}.${number}`);
  let free = 1;
  while (free < kept && existsSync(numbered(free))) free += 1;
  for (let number = free - 1; number >= 0; number -= 1) {
    try {
      renameSync(numbered(number), numbered(number + 1));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}
