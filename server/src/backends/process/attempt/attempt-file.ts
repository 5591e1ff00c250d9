import { accessSync, chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync } from "node:fs";
import path from "node:path";
import { DamagedAttempt, type Found } from "#backends/process/attempt/damaged-attempt";
import { type OpenMode, maybeOpenOwn, type OwnFile, writeOwn } from "#backends/process/attempt/own-file";
import { codeOf } from "#plumbing/errors";
import { FOLDER_LOCATION } from "#plumbing/files/open-flags";

type FileName = "record" | "log" | "command.sh" | "container";

/**
 * Opens a file of an attempt by the rule of own-file.ts. Throws a DamagedAttempt if anything but a regular file is in
 * its place. Returns undefined if the file, or its folder, does not exist.
 */
export function maybeOpenAttemptFile(folder: string, name: FileName, how: OpenMode): OwnFile | undefined {
  const held = maybeHoldFolder(folder);
  if (!held) return undefined;
  try {
    const opened = maybeOpenOwn(path.join(held.itself, name), how);
    if (typeof opened !== "string") return opened;
    const isFolder = opened === "unreadable" && !mayUse(held.itself);
    throw new DamagedAttempt(isFolder ? "folder" : name, opened);
  } finally {
    release(held);
  }
}

/** Writes a file of an attempt as a whole, by the same rule. Throws a DamagedAttempt also if the folder is gone. */
export function writeAttemptFile(folder: string, name: FileName, content: string): void {
  const file = maybeOpenAttemptFile(folder, name, "replace");
  if (!file) throw new DamagedAttempt("folder", "gone");
  writeOwn(file, content);
}

/**
 * Runs `use` with a folder of an attempt's secrets, and first makes the folder and its parents if missing.
 * The path for `use` leads to this folder even if a job replaces the folder with a link during the call.
 * Throws a DamagedAttempt if anything but a folder is in the place.
 */
export function inInnerFolder(folder: string, names: readonly string[], use: (itself: string) => void): void {
  const attempt = maybeHoldFolder(folder);
  if (!attempt) throw new DamagedAttempt("folder", "gone");
  let held = attempt;
  try {
    for (const name of names) {
      const inner = holdMade(path.join(held.itself, name));
      release(held);
      held = inner;
    }
    use(held.itself);
  } finally {
    release(held);
  }
}

/** Writes files into a folder of an attempt's secrets by the rule of own-file.ts. */
export function writeInnerFiles(
  folder: string,
  names: readonly string[],
  files: Iterable<readonly [name: string, content: string | Uint8Array]>,
): void {
  inInnerFolder(folder, names, (itself) => {
    for (const [name, content] of files) {
      const file = maybeOpenOwn(path.join(itself, name), "replace");
      if (file === undefined) throw new DamagedAttempt("secrets", "gone");
      if (typeof file === "string") throw new DamagedAttempt("secret-file", file);
      writeOwn(file, content);
    }
  });
}

interface HeldFolder {
  readonly itself: string;
  readonly fd?: number;
}

const HAS_PROC = process.platform === "linux";

/**
 * Keeps the folder from being replaced by a link while a file in the folder is opened. On systems other than
 * Linux, only checks.
 */
function maybeHoldFolder(folder: string): HeldFolder | undefined {
  try {
    return hold(folder);
  } catch (error) {
    switch (codeOf(error)) {
      case "ENOENT":
        return undefined;
      case "ENOTDIR":
      case "ELOOP":
        throw new DamagedAttempt("folder", inPlaceOf(folder));
      case "EACCES": // a job has removed the rights to the parent folder
        chmodSync(path.dirname(folder), 0o700);
        return hold(folder);
      default:
        throw error;
    }
  }
}

/** Holds a folder of the secrets. Makes the folder if missing. */
function holdMade(folder: string): HeldFolder {
  try {
    makeUnlessThere(folder);
    return hold(folder);
  } catch (error) {
    switch (codeOf(error)) {
      case "ENOENT":
        throw new DamagedAttempt("secrets", "gone");
      case "ENOTDIR":
      case "ELOOP":
        throw new DamagedAttempt("secrets", inPlaceOf(folder));
      case "EACCES":
        throw new DamagedAttempt("secrets", "unreadable");
      default:
        throw error;
    }
  }
}

function makeUnlessThere(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function inPlaceOf(folder: string): Found {
  return lstatSync(folder).isSymbolicLink() ? "link" : "file";
}

function release({ fd }: HeldFolder): void {
  if (fd !== undefined) closeSync(fd);
}

function hold(folder: string): HeldFolder {
  if (HAS_PROC) {
    const fd = openSync(folder, FOLDER_LOCATION);
    return { itself: `/proc/self/fd/${fd}`, fd };
  }
  if (lstatSync(folder).isDirectory()) return { itself: folder };
  throw Object.assign(new Error(`${folder} is not a folder.`), { code: "ENOTDIR" });
}

function mayUse(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false; // accessSync throws exactly when a right is missing
  }
}
