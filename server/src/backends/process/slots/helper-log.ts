import { closeSync, ftruncateSync } from "node:fs";
import path from "node:path";
import { maybeOpenOwn } from "#backends/process/attempt/own-file";

/** The size at which the file is emptied: before a start, and by the keeper. */
export const HELPER_LOG_BYTES_MAX = 65_536;

/**
 * Calls `start` with the standard error of the shells to start: the file that logs their faults. If a job has
 * replaced the file, faults are not logged.
 */
export async function withHelperLog<T>(
  folder: string,
  start: (stderr: number | "ignore") => Promise<T>,
): Promise<T> {
  const opened = maybeOpenOwn(path.join(folder, "helpers.log"), "append");
  if (typeof opened !== "object") return start("ignore");
  try {
    if (opened.bytes > HELPER_LOG_BYTES_MAX) ftruncateSync(opened.fd);
    return await start(opened.fd);
  } finally {
    closeSync(opened.fd);
  }
}
