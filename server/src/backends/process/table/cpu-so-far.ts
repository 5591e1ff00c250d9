import { readdirSync } from "node:fs";
import { markedProcesses } from "#backends/process/table/marked-processes";
import { readProc, statFields } from "#backends/process/table/process-table";

/** Length of a clock tick in /proc. The kernel's `USER_HZ` is 100 on all architectures that Node runs on. */
const TICK_MS = 10;
/** Positions of user time, system time, and both of children that have ended, after the command's name. */
const TIME_FIELDS = [11, 12, 13, 14];

interface Wanted {
  readonly marks: ReadonlySet<string>;
  /** First processes of containers. This user cannot read the marks of their descendants. */
  readonly roots: readonly number[];
}

/**
 * Returns the total processor time of the processes with one of these marks, of the descendants of the roots,
 * and of ended children.
 */
export async function cpuMsSoFar({ marks, roots }: Wanted): Promise<number> {
  const { pids } = await markedProcesses(marks);
  const all = new Set([...pids, ...withDescendants(roots)]);
  return [...all].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}

function withDescendants(roots: readonly number[]): Set<number> {
  const found = new Set(roots);
  // A set also yields entries that are added during the iteration.
  for (const pid of found) for (const child of childrenOf(pid)) found.add(child);
  return found;
}

/** Returns an empty list for a process that is gone. */
export function childrenOf(pid: number): number[] {
  const tasks = readdirIfThere(`/proc/${pid}/task`);
  const lists = tasks.map((task) => readProc(`/proc/${pid}/task/${task}/children`) ?? "");
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns 0 if the process is gone: its time is included in its parent's time, or in the end of the job. */
export function cpuMsOf(pid: number): number {
  const fields = statFields(pid);
  if (!fields) return 0;
  return TIME_FIELDS.reduce((sum, at) => sum + Number(fields[at]), 0) * TICK_MS;
}
