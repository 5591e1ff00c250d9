import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync } from "node:fs";
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

  /** Opens before it closes, so that a failure leaves the present file in use. */
  function reopen(): void {
    const next = openToAppend(file);
    closeSync(fd);
    fd = next;
    mustReopen = false;
  }

  return {
    fd: () => fd,
    endsWithinLine: () => endsWithinLine(fd),
    reopenNext: () => void (mustReopen = true),
    settle() {
      try {
        const isDue = rotation !== undefined && isLargeOrOld(fd, rotation);
        if (isDue) moveAside(file, rotation.kept);
        if (isDue || mustReopen) reopen();
      } catch (error) {
        if (!isReported) report(`The log cannot be rotated: ${messageOf(error)}. Its file grows further.`);
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

/** Gives each kept file the next number, the oldest first, and removes the last. */
function moveAside(file: string, kept: number): void {
  const numbered = (number: number) => (number === 0 ? file : `${file}.${number}`);
  rmSync(numbered(kept), { force: true });
  for (let number = kept - 1; number >= 0; number -= 1) {
    try {
      renameSync(numbered(number), numbered(number + 1));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}
