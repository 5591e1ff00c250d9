import { accessSync, chmodSync, closeSync, constants, lstatSync, openSync } from "node:fs";
import path from "node:path";
import { DamagedAttempt } from "#backends/local/attempt/damaged-attempt";
import { type OpenMode, maybeOpenOwn, type OwnFile } from "#backends/local/attempt/own-file";
import { codeOf } from "#plumbing/errors";
import { FOLDER_LOCATION } from "#plumbing/files/open-flags";

/**
 * Opens a file of an attempt by the rule of own-file.ts. Throws a DamagedAttempt if anything but a regular file is in
 * its place. Returns undefined if the file, or its folder, does not exist.
 */
export function maybeOpenAttemptFile(
  folder: string,
  name: "record" | "log" | "command.sh" | "container",
  how: OpenMode,
): OwnFile | undefined {
  const held = maybeHoldFolder(folder);
  if (!held) return undefined;
  try {
    const opened = maybeOpenOwn(path.join(held.itself, name), how);
    if (typeof opened !== "string") return opened;
    const isFolder = opened === "unreadable" && !mayUse(held.itself);
    throw new DamagedAttempt(isFolder ? "folder" : name, opened);
  } finally {
    if (held.fd !== undefined) closeSync(held.fd);
  }
}

interface HeldFolder {
  readonly itself: string;
  readonly fd?: number;
}

const HAS_PROC = process.platform === "linux";

/**
 * Keeps the folder from being replaced by a link while a file in it is opened. On systems other than Linux it only
 * checks.
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
        throw new DamagedAttempt("folder", lstatSync(folder).isSymbolicLink() ? "link" : "file");
      case "EACCES": // a job has removed the rights to the parent folder
        chmodSync(path.dirname(folder), 0o700);
        return hold(folder);
      default:
        throw error;
    }
  }
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
