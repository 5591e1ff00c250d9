import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import path from "node:path";
import { maybeOpenOwn } from "#backends/process/attempt/own-file";
import { isAlive } from "#backends/process/table/process-table";
import { codeOf } from "#plumbing/errors";

/** The folder in which each slot announces itself by a file named after its pid. */
export function slotsFolder(folder: string): string {
  return path.join(folder, "slots");
}

/** Removes the files of slots that are gone. Slots of earlier servers may still be running their jobs. */
export function removeStaleSlots(folder: string, bootId: string): void {
  for (const name of readdirSync(slotsFolder(folder))) {
    const file = path.join(slotsFolder(folder), name);
    const born = maybeBirth(file);
    // An empty file is just being written.
    if (born === "") continue;
    if (born === undefined || !isAlive({ pid: Number(name), born, bootId }, bootId))
      rmSync(file, { force: true, recursive: true });
  }
}

/** Returns undefined if a job has put something else in the place of the file, or something too long. */
function maybeBirth(file: string): string | undefined {
  const opened = maybeOpenOwn(file, "read");
  if (opened === undefined) return "";
  if (typeof opened === "string") return undefined;
  try {
    return opened.bytes > BIRTH_MAX_BYTES ? undefined : readFileSync(opened.fd, "latin1").trim();
  } finally {
    closeSync(opened.fd);
  }
}

/** Without /proc the file holds the path of a folder. */
const BIRTH_MAX_BYTES = 4096;

/** Makes the folder. If a job has replaced the folder, the replacement is moved away. */
export function makeSlotsFolder(folder: string): void {
  const slots = slotsFolder(folder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(slots, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const stat = lstatSync(slots);
    if (stat.isDirectory()) return chmodSync(slots, 0o700);
    renameSync(slots, `${slots}.damaged`);
    makeSlotsFolder(folder);
  }
}
