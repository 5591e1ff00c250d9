import { closeSync, openSync, readSync } from "node:fs";
import path from "node:path";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import { codeOf } from "#plumbing/errors";
import { isProgram } from "#plumbing/files/find-program";

/** The first bytes of a binary program. */
const MAGIC = "\x7fELF";
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;

/**
 * Returns a function that tells whether a name is a binary program in the usual PATH, below /usr, where jobs in the
 * sandbox see it too. Scripts, builtins and missing programs are left to a shell. It searches once for each name, so a
 * program that is installed later starts through a shell.
 */
export function programFinder(): (name: string) => boolean {
  const known = new Map<string, string | undefined>();
  const folders = HOST_ENVIRONMENT.PATH.split(":");
  return (name) => {
    if (!NAME.test(name)) return false;
    if (!known.has(name)) known.set(name, maybeFirstBinary(folders, name));
    const file = known.get(name);
    return file !== undefined && isProgram(file);
  };
}

/**
 * Returns the program that a job would find: a program outside /usr may be hidden from the job, or shown by a
 * mount.
 */
function maybeFirstBinary(folders: readonly string[], name: string): string | undefined {
  const files = folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, name));
  const found = files.find(isProgram);
  return found !== undefined && /^\/(usr\/|s?bin\/)/.test(found) && isBinary(found) ? found : undefined;
}

function isBinary(file: string): boolean {
  const fd = maybeOpen(file);
  if (fd === undefined) return false;
  try {
    const start = Buffer.alloc(MAGIC.length);
    readSync(fd, start, 0, start.length, 0);
    return start.toString("latin1") === MAGIC;
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns undefined for a program that this user may run and not read, and for a program that was just
 * removed.
 */
function maybeOpen(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (["EACCES", "EPERM", "ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
