import { closeSync, fstatSync, mkdirSync, openSync, read, readSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf, messageOf } from "#plumbing/errors";

/**
 * What is kept of one attempt, outside the workspace: record (record.ts), log, scratch, and command.sh when the command
 * is long. Made by synchronous calls: they take microseconds on any disk that can carry the database, and a switch of
 * threads for each would be a good part of what starting a job costs.
 */
export function attemptFolder(root: string, id: string): string {
  return path.join(root, id);
}

/** The job's HOME: outside the workspace, so that what programs drop there is not taken for a result. */
export function scratchFolder(folder: string): string {
  return path.join(folder, "scratch");
}

/** Answers false when the attempt was known before. */
export function prepareAttempt(folder: string): boolean {
  const isNew = makeFolder(folder);
  makeFolder(scratchFolder(folder));
  return isNew;
}

export function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw new Error(`The folder ${folder} could not be made: ${messageOf(error)}`, { cause: error });
  }
}

/** So little is read at once: the logs of a run with a thousand jobs are a thousand files, mostly of some lines. */
const READ_AT_ONCE_BYTES = 64 * 1024;

export async function readLogBytes(folder: string, from: number, maxBytes: number): Promise<Buffer> {
  const file = openIfThere(path.join(folder, "log"));
  if (file === undefined) return Buffer.alloc(0);
  try {
    const { size } = fstatSync(file);
    const start = from < 0 ? Math.max(0, size + from) : Math.min(from, size);
    const buffer = Buffer.alloc(Math.min(maxBytes, size - start));
    const isSmall = buffer.length <= READ_AT_ONCE_BYTES;
    const bytesRead = isSmall
      ? readSync(file, buffer, 0, buffer.length, start)
      : (await readLater(file, buffer, 0, buffer.length, start)).bytesRead;
    return buffer.subarray(0, bytesRead);
  } finally {
    closeSync(file);
  }
}

const readLater = promisify(read);

export async function logBytes(folder: string): Promise<number> {
  return statSync(path.join(folder, "log"), { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Away at once, and then file by file: a supervisor that comes late to its order must not find the folder without the
 * record that tells it so, and begin.
 */
export async function removeAttempt(folder: string): Promise<void> {
  const gone = `${folder}.gone`;
  // One that died on the way has left it.
  await rm(gone, { recursive: true, force: true });
  await rename(folder, gone).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  await rm(gone, { recursive: true, force: true });
  crashPoint("attempt-removed");
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
