import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";

/** Returns the absolute path of a program in the PATH of this process. */
export function maybeProgram(name: string): string | undefined {
  return (process.env["PATH"] ?? "/usr/bin:/bin")
    .split(":")
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isProgram);
}

/**
 * Returns whether the path is a file that this user may execute. Folders do not count, although they may be
 * searchable.
 */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // accessSync throws exactly when the file cannot be executed
  }
}
