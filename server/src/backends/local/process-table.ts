import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { promisify } from "node:util";
import { codeOf } from "#plumbing/errors";

/** Who a process is: a pid alone may belong to somebody else by now. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot; `-` where the system has no /proc. */
  readonly born: string;
  readonly bootId: string;
}

/** Alive means: the same pid, started at the same moment of the same boot, and not a zombie. */
export async function isAlive(identity: ProcessIdentity, bootId: string): Promise<boolean> {
  if (process.platform !== "linux") return isAliveByPs(identity.pid);
  if (identity.bootId !== bootId) return false;
  const stat = await readProc(`/proc/${identity.pid}/stat`);
  if (stat === undefined) return false;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] !== "Z" && fields[0] !== "X" && fields[19] === identity.born;
}

/** Without /proc only the pid can be asked for: a reused one is taken for the old process. */
async function isAliveByPs(pid: number): Promise<boolean> {
  try {
    await promisify(execFile)("ps", ["-o", "pid=", "-p", String(pid)]);
    return true;
  } catch {
    return false; // ps exits with 1 when there is no such process
  }
}

/** All processes whose environment holds the variable with one of these values; zombies have no environment. */
export async function processesMarked(name: string, values: ReadonlySet<string>): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const marked = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readProc(`/proc/${pid}/environ`);
      const variable = environment?.split("\0").find((entry) => entry.startsWith(`${name}=`));
      return variable !== undefined && values.has(variable.slice(name.length + 1)) ? Number(pid) : undefined;
    }),
  );
  return marked.filter((pid) => pid !== undefined);
}

/** Nothing when the process is gone, or is another user's. */
async function readProc(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Answers whether there was anything to signal. */
export function signal(pidOrGroup: number, name: "SIGTERM" | "SIGKILL"): boolean {
  try {
    process.kill(pidOrGroup, name);
    return true;
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
    throw error;
  }
}
