import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
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
  const fields = await statFields(String(identity.pid));
  return fields !== undefined && !isDead(fields) && fields[19] === identity.born;
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

export interface MarkedProcesses {
  readonly pids: readonly number[];
  /** False when a process ended while it was looked at: what it had just started may have been missed. */
  readonly isWhole: boolean;
}

/** All processes whose environment holds the variable with one of these values; zombies have no environment. */
export async function processesMarked(name: string, values: ReadonlySet<string>): Promise<MarkedProcesses> {
  if (process.platform !== "linux") return { pids: [], isWhole: true };
  const listed = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const environments = await Promise.all(listed.map(environmentOf));
  const isMarked = (environment: string | symbol | undefined) => {
    if (typeof environment !== "string") return false;
    const variable = environment.split("\0").find((entry) => entry.startsWith(`${name}=`));
    return variable !== undefined && values.has(variable.slice(name.length + 1));
  };
  return {
    pids: listed.filter((_, index) => isMarked(environments[index])).map(Number),
    isWhole: !environments.includes(GONE),
  };
}

/** In microseconds a program has begun, but who knows how long a loaded machine takes for them. */
const LOOKS_AT_BEGINNING = 50;

/**
 * A process that takes on another program (execve) between the opening and the reading of the file seems to have no
 * environment, so what is empty is looked at again.
 */
async function environmentOf(pid: string): Promise<string | typeof GONE | typeof HIDDEN> {
  for (let look = 1; ; look += 1) {
    const environment = await readProc(`/proc/${pid}/environ`);
    if (environment !== "") return environment;
    const fields = await statFields(pid);
    if (fields === undefined || isDead(fields)) return GONE;
    if (look === LOOKS_AT_BEGINNING || !mayHaveEnvironment(fields)) return "";
    await delay(1);
  }
}

/** Flag of a thread of the kernel: it never has an environment. */
const PF_KTHREAD = 0x20_0000;

/** The fields are those of proc(5) from the third on: flags are the 9th, the place of the environment the 50th and 51st. */
function mayHaveEnvironment(fields: readonly string[]): boolean {
  if ((Number(fields[6]) & PF_KTHREAD) !== 0) return false;
  const [start, end] = [fields[47], fields[48]];
  return start !== end || end === "0";
}

/** From the state on, which follows on the name of the program, in which anything may stand. */
async function statFields(pid: string): Promise<string[] | undefined> {
  const stat = await readProc(`/proc/${pid}/stat`);
  return typeof stat === "string" ? stat.slice(stat.lastIndexOf(")") + 2).split(" ") : undefined;
}

function isDead([state]: readonly string[]): boolean {
  return state === "Z" || state === "X";
}

/** There is no such process any more. */
const GONE = Symbol("gone");
/** It is another user's. */
const HIDDEN = Symbol("hidden");

async function readProc(file: string): Promise<string | typeof GONE | typeof HIDDEN> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes(codeOf(error) ?? "")) return GONE;
    if (["EACCES", "EPERM"].includes(codeOf(error) ?? "")) return HIDDEN;
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
