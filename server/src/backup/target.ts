import { mkdir, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { asBackupError, BackupError } from "#backup/backup-error";
import { PART } from "#backup/manifest";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";

const TRIED = "The backup was not made";

/**
 * Makes a temporary folder in the parent of the target, renamed when complete: an unfinished backup cannot be
 * mistaken for a complete one.
 */
export async function makePart(target: string, dataFolder: string): Promise<string> {
  const part = `${target}${PART}`;
  await refuseTarget(target, dataFolder);
  try {
    await mkdir(part, { mode: 0o700 });
    crashPoint("backup-begun");
    return part;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw asBackupError(TRIED, target, error);
    throw new BackupError(
      `${TRIED}: ${part} exists. Another backup is being written to it; or one was interrupted, then remove it.`,
    );
  }
}

export function asTargetError(target: string, error: unknown): Error {
  return asBackupError(TRIED, target, error);
}

async function refuseTarget(target: string, dataFolder: string): Promise<void> {
  if ((await entriesOf(target)) > 0) {
    throw new BackupError(`${TRIED}: ${target} exists already. Name a new folder.`);
  }
  const parent = await realpath(path.dirname(target)).catch(() => undefined);
  if (parent === undefined) {
    throw new BackupError(`${TRIED}: there is no folder ${path.dirname(target)} to put it in.`);
  }
  if (`${parent}/`.startsWith(`${await realpath(dataFolder)}/`)) {
    throw new BackupError(
      `${TRIED}: ${target} is inside the data folder. Name a folder outside it, best on another disk.`,
    );
  }
}

/** Returns the number of entries. A file counts as one. */
async function entriesOf(target: string): Promise<number> {
  try {
    return (await readdir(target)).length;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0;
    if (codeOf(error) === "ENOTDIR") return 1;
    throw error;
  }
}
