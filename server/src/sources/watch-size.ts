import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { codeOf } from "#plumbing/errors";

const INTERVAL_MS = 100;

/** Returns the bytes of all files below a folder. Files that vanish during the count are not included. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nothingIfGone);
  const sizes = (entries ?? []).map(async (entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return await folderBytes(full);
    return (await lstat(full).catch(nothingIfGone))?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns true when the folder has grown past its limit, and false when `signal` aborts. */
export async function waitUntilLarger(
  folder: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    if ((await folderBytes(folder)) > maxBytes) return true;
    await delay(INTERVAL_MS, undefined, { signal }).catch(nothingIfAborted);
  }
  return false;
}

function nothingIfGone(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

function nothingIfAborted(error: unknown): undefined {
  if (codeOf(error) !== "ABORT_ERR") throw error;
}
