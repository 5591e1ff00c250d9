import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { codeOf } from "#plumbing/errors";

/** Identifies a process. A pid alone may belong to another process later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot; `-` where the system has no /proc. */
  readonly born: string;
  readonly bootId: string;
}

/** Alive means: the same pid, started at the same moment of the same boot, and not a zombie. */
export function isAlive(identity: ProcessIdentity, bootId: string): boolean {
  if (identity.bootId !== bootId) return false;
  if (process.platform !== "linux") return isAliveByPs(identity.pid);
  const fields = statFields(identity.pid);
  return fields !== undefined && !/[ZX]/.test(fields[0]!) && fields[19] === identity.born;
}

/** Returns the fields of /proc/PID/stat after the command's name, which may hold spaces and brackets itself. */
export function statFields(pid: number): string[] | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Without /proc only the pid can be checked: a reused one is taken for the old process. */
function isAliveByPs(pid: number): boolean {
  try {
    execFileSync("ps", ["-o", "pid=", "-p", String(pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false; // ps exits with 1 when there is no such process
  }
}

/** Returns undefined if the process is gone, or belongs to another user. */
export function readProc(file: string): string | undefined {
  try {
    // Node reads a UTF-8 file in one call. Any other encoding takes a buffer of 64 KiB.
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Returns whether a process was signalled. Signal 0 only checks. */
export function signal(pidOrGroup: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pidOrGroup, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
    throw error;
  }
}
