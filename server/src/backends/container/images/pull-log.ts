import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { fullImageName, type ImageName } from "#backends/container/images/image-name";

/** The log of a pull. It never throws: a full disk must break neither the pull nor the server. */
export interface PullLog {
  write(chunk: Buffer | string): void;
  close(): void;
}

/** Limit on the logs that are kept, because users name the images. */
const LOGS_KEPT = 100;
/** Limit on the bytes of a log. A longer one begins again at the next pull, and loses what does not fit. */
const LOG_MAX_BYTES = 2 ** 20;

/**
 * Opens the log of pulls of an image, and removes the oldest ones of other images. Calls `report` with the error if lines
 * are lost.
 */
export function openPullLog(folder: string, image: ImageName, report: (error: unknown) => void): PullLog {
  const fd = orReported(report, () => openIn(folder, image));
  if (fd === undefined) return { write: () => undefined, close: () => undefined };
  let left = LOG_MAX_BYTES - fstatSync(fd).size;
  return {
    write(chunk) {
      const bytes = Buffer.from(chunk).subarray(0, Math.max(0, left));
      left -= bytes.length;
      if (bytes.length === 0 || orReported(report, () => writeSync(fd, bytes)) !== undefined) return;
      left = 0;
    },
    close: () => closeSync(fd),
  };
}

function openIn(folder: string, image: ImageName): number {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${fullImageName(image)
    .replaceAll(/[^\w.-]+/g, "_")
    .slice(0, 150)}.log`;
  removeOldest(folder, name);
  const fd = openSync(path.join(folder, name), "a", 0o600);
  if (fstatSync(fd).size >= LOG_MAX_BYTES) ftruncateSync(fd);
  return fd;
}

/** Removes the oldest logs, so that there is room for the one of this name. */
function removeOldest(folder: string, name: string): void {
  const others = readdirSync(folder).filter((other) => other.endsWith(".log") && other !== name);
  if (others.length < LOGS_KEPT) return;
  const files = others.map((other) => path.join(folder, other));
  const ages = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  const newestFirst = files.toSorted((a, b) => ages.get(b)! - ages.get(a)!);
  for (const file of newestFirst.slice(LOGS_KEPT - 1)) rmSync(file);
}

function orReported<Result>(report: (error: unknown) => void, action: () => Result): Result | undefined {
  try {
    return action();
  } catch (error) {
    report(error);
    return undefined;
  }
}
