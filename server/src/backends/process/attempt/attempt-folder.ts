import { closeSync, mkdirSync, read, readSync, symlinkSync } from "node:fs";
import { rename } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { maybeOpenAttemptFile } from "#backends/process/attempt/attempt-file";
import { DamagedAttempt } from "#backends/process/attempt/damaged-attempt";
import type { OwnFile } from "#backends/process/attempt/own-file";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf, messageOf } from "#plumbing/errors";

/** Name of the folder, among the folders of jobs, with a file for each GPU that a job has. */
export const GPU_CLAIMS = "gpus";

/**
 * The folder of one attempt, outside the workspace: record (record.ts), log, scratch, and command.sh if the command is
 * long. It is made by synchronous calls: they take microseconds on any disk that can carry the database, and a thread
 * switch for each would be a good part of the cost of starting a job.
 */
export function attemptFolder(root: string, id: string): string {
  return path.join(root, id);
}

/**
 * The job's HOME. HOME is outside the workspace, because files that programs leave in HOME are not results.
 */
export function scratchFolder(folder: string): string {
  return path.join(folder, "scratch");
}

/** Makes a folder. Returns false if the folder exists already. */
export function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw new Error(`The folder ${folder} could not be made: ${messageOf(error)}`, { cause: error });
  }
}

/** Links to the job's workspace, for the keeper to count the job's files. */
export function linkWorkspace(folder: string, workspaceFolder: string): void {
  try {
    symlinkSync(workspaceFolder, path.join(folder, "workspace"));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/**
 * Reads up to this size are synchronous: the logs of a run with a thousand jobs are a thousand files, mostly a few
 * lines each.
 */
const READ_AT_ONCE_BYTES = 64 * 1024;

/** Returns a part of what the job printed, or a sentence if something else is in the place of its log. */
export async function readLogBytes(folder: string, from: number, maxBytes: number): Promise<Buffer> {
  const log = maybeOpenLog(folder);
  if (log === undefined) return Buffer.alloc(0);
  if (Buffer.isBuffer(log)) return part(log, from, maxBytes);
  try {
    const { start, length } = rangeIn(log.bytes, from, maxBytes);
    const buffer = Buffer.alloc(length);
    const isSmall = length <= READ_AT_ONCE_BYTES;
    const bytesRead = isSmall
      ? readSync(log.fd, buffer, 0, length, start)
      : (await readLater(log.fd, buffer, 0, length, start)).bytesRead;
    return buffer.subarray(0, bytesRead);
  } finally {
    closeSync(log.fd);
  }
}

const readLater = promisify(read);

export async function logBytes(folder: string): Promise<number> {
  const log = maybeOpenLog(folder);
  if (log === undefined || Buffer.isBuffer(log)) return log?.length ?? 0;
  closeSync(log.fd);
  return log.bytes;
}

function maybeOpenLog(folder: string): OwnFile | Buffer | undefined {
  try {
    return maybeOpenAttemptFile(folder, "log", "read");
  } catch (error) {
    if (error instanceof DamagedAttempt) return Buffer.from(`The log cannot be read. ${error.message}\n`);
    throw error;
  }
}

function part(text: Buffer, from: number, maxBytes: number): Buffer {
  const { start, length } = rangeIn(text.length, from, maxBytes);
  return text.subarray(start, start + length);
}

/** Returns the range within the size. A negative `from` counts from the end. */
function rangeIn(size: number, from: number, maxBytes: number) {
  const start = from < 0 ? Math.max(0, size + from) : Math.min(from, size);
  return { start, length: Math.min(maxBytes, size - start) };
}

/**
 * Renames the folder, then deletes it file by file: otherwise a supervisor that is late to its order could
 * find the folder without the record, and start the job.
 */
export async function removeAttempt(folder: string, removeTree: RemoveTree): Promise<void> {
  const gone = `${folder}.gone`;
  // A server that died between the two steps has left the folder.
  await removeTree(gone);
  await rename(folder, gone).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  await removeTree(gone);
  crashPoint("attempt-removed");
}

/** Deletes a folder, even if a job has changed it, or a file in its place. Idempotent. */
export type RemoveTree = (folder: string) => Promise<void>;
