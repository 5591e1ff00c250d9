import { lstat, opendir, stat } from "node:fs/promises";
import path from "node:path";

/** A count of the files of one job. */
export interface FileCount {
  isRunning: boolean;
  isCancelled: boolean;
  /** When the next count may begin. */
  nextAtMs: number;
  hasTooMany: boolean;
}

const PAUSE_MS = 5000;
/** Counting takes a tenth of the time at most. */
const PAUSE_SHARE = 9;
/** The folders of an attempt that count. The first is a link to the workspace. */
const PLACES = ["workspace", "scratch", "tmp"];

/**
 * Starts to count the files in the workspace of a job, its home and its temporary folder, unless a count is running or was
 * made a moment ago.
 */
export function maybeStartCount(count: FileCount, attempt: string, limit: number): void {
  const beganAtMs = performance.now();
  if (count.isRunning || beganAtMs < count.nextAtMs) return;
  count.isRunning = true;
  void countFiles(count, attempt, limit, beganAtMs);
}

async function countFiles(
  count: FileCount,
  attempt: string,
  limit: number,
  beganAtMs: number,
): Promise<void> {
  const places = PLACES.map((name) => path.join(attempt, name));
  const hasTooMany = await hasMoreThan(limit, places, count);
  const endedAtMs = performance.now();
  const nextAtMs = endedAtMs + PAUSE_MS + PAUSE_SHARE * (endedAtMs - beganAtMs);
  Object.assign(count, { hasTooMany, isRunning: false, nextAtMs });
}

/** Counting ends one above the limit, however many files there are. */
async function hasMoreThan(
  limit: number,
  places: readonly string[],
  count: Pick<FileCount, "isCancelled">,
): Promise<boolean> {
  let number = 0;
  for (const place of places) {
    // The link to the workspace is followed, and no other.
    const device = await stat(place).then(
      ({ dev }) => dev,
      () => undefined,
    );
    const folders = device === undefined ? [] : [place];
    for (const folder of folders) {
      try {
        for await (const entry of await opendir(folder)) {
          number += 1;
          if (number > limit) return true;
          if (count.isCancelled) return false;
          const inner = path.join(folder, entry.name);
          if (entry.isDirectory() && (await lstat(inner)).dev === device) folders.push(inner);
        }
      } catch {
        // The job may have removed the file, or its read permission.
      }
    }
  }
  return false;
}
