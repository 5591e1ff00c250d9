import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codeOf } from "#plumbing/errors";

/** The file that lists the processes of a group. */
export const PROCS = "cgroup.procs";
/**
 * The file by which a process of one thread joins a group. With version 1, `tasks` takes 0.1 ms; otherwise
 * the kernel first waits for all processors, 5 to 20 ms.
 */
export const JOIN = { 1: "tasks", 2: PROCS } as const;

export function madeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function write(folder: string, name: string, value: number | string): void {
  writeFileSync(path.join(folder, name), String(value));
}

export function maybeWrite(folder: string, name: string, value: number): void {
  try {
    write(folder, name, value);
  } catch (error) {
    if (!["ENOENT", "EACCES", "EPERM", "EINVAL"].includes(codeOf(error) ?? "")) throw error;
  }
}

export function subfolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Removes a group unless it has processes. Returns whether the group is gone. */
export function maybeRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (!["ENOENT", "EBUSY", "ENOTEMPTY"].includes(code)) throw error;
    return code === "ENOENT";
  }
}
