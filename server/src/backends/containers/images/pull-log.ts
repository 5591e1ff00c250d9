import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { fullImageName, type ImageName } from "#backends/containers/images/image-name";

/** The end of a pull. */
export interface PullEnd {
  readonly at: string;
  readonly image: string;
  /** The reason of the failure. Absent if the pull succeeded. */
  readonly problem?: string | undefined;
}

/** The log of a pull. It never throws: a full disk must break neither the pull nor the server. */
export interface PullLog {
  write(chunk: Buffer | string): void;
  /** Writes how the pull ended, in a line of its own. */
  end(end: PullEnd): void;
  close(): void;
}

/** Limit on the logs that are kept, because users name the images. */
const LOGS_KEPT = 100;
/** Limit on the bytes of a log. A longer one begins again at the next pull, and loses what does not fit. */
const LOG_MAX_BYTES = 2 ** 20;
/** Limit on the line about the end of a pull, with reserved space. */
const END_MAX_BYTES = 2048;
const PRINTED_MAX_BYTES = LOG_MAX_BYTES - END_MAX_BYTES;

/**
 * Opens the log of pulls of an image, and removes the oldest ones of other images. Calls `report` with the error if lines
 * are lost.
 */
export function openPullLog(folder: string, image: ImageName, report: (error: unknown) => void): PullLog {
  const fd = orReported(report, () => openIn(folder, image));
  if (fd === undefined) return { write: () => undefined, end: () => undefined, close: () => undefined };
  let left = PRINTED_MAX_BYTES - fstatSync(fd).size;
  let isWritable = true;
  const add = (text: Uint8Array | string) => {
    if (isWritable) isWritable = orReported(report, () => writeSync(fd, Buffer.from(text))) !== undefined;
  };
  return {
    write(chunk) {
      const bytes = Buffer.from(chunk).subarray(0, Math.max(0, left));
      left -= bytes.length;
      if (bytes.length > 0) add(bytes);
    },
    end: (end) => add(`\n${JSON.stringify(end)}\n`),
    close: () => closeSync(fd),
  };
}

/**
 * Returns the end of the last pull if the pull failed. Undefined if no pull is known, or the last pull
 * succeeded.
 */
export function maybeFailedPull(folder: string): PullEnd | undefined {
  const [newest] = existsSync(folder) ? newestFirst(logsIn(folder)) : [];
  if (newest === undefined) return undefined;
  const end = maybeEnd(readFileSync(newest, "utf8").trimEnd().split("\n").at(-1)!);
  return end?.problem === undefined ? undefined : end;
}

function maybeEnd(line: string): PullEnd | undefined {
  try {
    return JSON.parse(line) as PullEnd;
  } catch {
    return undefined; // a pull that is under way, or whose server died, ends in a line of the runtime
  }
}

function logsIn(folder: string): string[] {
  const names = readdirSync(folder);
  return names.filter((name) => name.endsWith(".log")).map((name) => path.join(folder, name));
}

function newestFirst(files: readonly string[]): string[] {
  const ages = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  return files.toSorted((a, b) => ages.get(b)! - ages.get(a)!);
}

function openIn(folder: string, image: ImageName): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${fullImageName(image)
    .replaceAll(/[^\w.-]+/g, "_")
    .slice(0, 150)}.log`;
  removeOldest(folder, name);
  const fd = openSync(path.join(folder, name), "a", 0o600);
  if (fstatSync(fd).size >= PRINTED_MAX_BYTES) ftruncateSync(fd);
  return fd;
}

/** Removes the oldest logs, to make room for the log of this name. */
function removeOldest(folder: string, name: string): void {
  const others = logsIn(folder).filter((file) => path.basename(file) !== name);
  if (others.length < LOGS_KEPT) return;
  for (const file of newestFirst(others).slice(LOGS_KEPT - 1)) rmSync(file);
}

function orReported<Result>(report: (error: unknown) => void, action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    report(error);
    return undefined;
  }
}
