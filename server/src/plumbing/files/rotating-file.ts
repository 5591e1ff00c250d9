import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import type { Clock } from "#plumbing/clock";
import { codeOf, messageOf } from "#plumbing/errors";

/** When a file that only grows is put aside, and how many of these are kept. */
export interface Rotation {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Number of files that are kept besides the present one: `server.log.1` is the newest. */
  readonly kept: number;
  readonly clock: Pick<Clock, "now">;
}

export interface RotatingFile {
  fd(): number;
  /** Returns whether the last line of the file has no end: an earlier server could write only a part of it. */
  endsWithinLine(): boolean;
  /** Makes the next `settle` open the file again by its name. */
  reopenNext(): void;
  /** Starts another file if this one is large or old enough. Call it when no write is under way. It never throws. */
  settle(): void;
  close(): void;
}

/**
 * Opens the file to append to, for its owner alone, and creates its folder if it is missing. It calls `report` once if
 * another file cannot be started.
 */
export function openRotatingFile(
  file: string,
  report: (sentence: string) => void,
  rotation?: Rotation,
): RotatingFile {
  let fd = openToAppend(file);
  let mustReopen = false;
  let isReported = false;

  /** Opens before it closes or moves anything, so that a failure leaves the present file in use. */
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
        // First, because the size and the age of a file that was moved say nothing about the one of this name.
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

/** Opens an empty file, and gives it this name once the present one is out of the way. */
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
