import { mkdirSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "#plumbing/errors";

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
    throw error;
  }
}

export async function readLogBytes(folder: string, from: number, maxBytes: number): Promise<Buffer> {
  const file = await maybeOpen(path.join(folder, "log"));
  if (!file) return Buffer.alloc(0);
  try {
    const { size } = await file.stat();
    const start = from < 0 ? Math.max(0, size + from) : Math.min(from, size);
    const buffer = Buffer.alloc(Math.min(maxBytes, size - start));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export async function removeAttempt(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function maybeOpen(file: string) {
  try {
    return await open(file, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
