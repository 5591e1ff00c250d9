import { readdirSync } from "node:fs";
import process from "node:process";
import { setImmediate as breathe } from "node:timers/promises";
import { readProc, statFields } from "#backends/local/process-table";

/** Every job has this variable in its environment, with its id, and so has whatever descends from the job. */
const MARK = "REPRISE_JOB_ID=";

/** How many processes are looked at before something else gets its turn: each takes some microseconds. */
const AT_A_TIME = 100;

/** All processes that descend from one of these jobs. */
export async function markedProcesses(
  ids: ReadonlySet<string>,
  unmarked: Set<number> = new Set(),
): Promise<number[]> {
  const found: number[] = [];
  for (const [index, pid] of pids().entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) await breathe();
    if (unmarked.has(pid)) continue;
    const id = markOf(pid);
    if (id === NO_MARK) unmarked.add(pid);
    else if (id !== undefined && ids.has(id)) found.push(pid);
  }
  return found;
}

/** For how long a look remembers the one before it. So fast no machine gives all its process numbers away. */
const MEMORY_MS = 1000;

/**
 * The same for jobs whose own process is known to have ended, at a fraction of the cost: processes that had no mark a
 * moment ago are not looked at again. Only a job's own process begins without one; what descends from it inherits it.
 */
export function createLeftoverSearch(elapsedMs: () => number) {
  let unmarked = new Set<number>();
  let newestPid = 0;
  let lookedAtMs = -MEMORY_MS;
  return (ids: ReadonlySet<string>): Promise<number[]> => {
    const newest = Number(readProc("/proc/loadavg")?.trim().split(" ").at(-1));
    const now = elapsedMs();
    // Numbers are given in turn: only when they begin again from below can one be another process by now.
    if (!(newest >= newestPid) || now - lookedAtMs >= MEMORY_MS) unmarked = new Set();
    newestPid = newest;
    lookedAtMs = now;
    return markedProcesses(ids, unmarked);
  };
}

function pids(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

const NO_MARK = Symbol("no mark");

/** Nothing when that cannot be known, or not yet: the process is just becoming another program, or has just ended. */
export function markOf(pid: number): string | typeof NO_MARK | undefined {
  const environment = readProc(`/proc/${pid}/environ`);
  if (!environment) return isOfKernel(pid) ? NO_MARK : undefined;
  const at = `\0${environment}`.indexOf(`\0${MARK}`);
  if (at === -1) return NO_MARK;
  const end = environment.indexOf("\0", at);
  return environment.slice(at + MARK.length, end === -1 ? undefined : end);
}

/** Threads of the kernel have no environment; they are children of number 2. */
function isOfKernel(pid: number): boolean {
  return pid === 2 || statFields(pid)?.[1] === "2";
}
