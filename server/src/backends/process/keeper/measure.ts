import { existsSync } from "node:fs";
import path from "node:path";
import { type FoundJob, maybeFirstLine } from "#backends/process/keeper/find-job";
import { childrenOf, cpuMsOf } from "#backends/process/table/cpu-so-far";
import { readProc } from "#backends/process/table/process-table";

/** Use of a job, summed over its processes. */
export interface Use {
  readonly pids: readonly number[];
  /** Memory at this moment, or the most that a single process ever had. */
  readonly memoryKib: number;
  /** Memory that the kernel cannot reclaim, in KiB. Shared pages count once for each process. */
  readonly heldKib: number;
  readonly writtenBytes: number;
  /** The processor time of a container, whose processes are no children of the slot. */
  readonly cpuMs: number;
}

/** Maximum number of processes of a job whose memory is read. */
export const MEASURED_MAX = 500;

/**
 * Returns the first processes of a job. The processes of a container are no children of its client, which does not count:
 * podman writes the first one's pid into a file. Docker is not asked where its containers run.
 */
export function rootsOf(folder: string, { id, group }: Pick<FoundJob, "id" | "group">) {
  const attempt = path.join(folder, id);
  if (!existsSync(path.join(attempt, "container")) || isOfApptainer(attempt))
    return { pids: [group], isContained: false };
  const pid = Number(maybeFirstLine(path.join(attempt, "container.pid")) ?? 0);
  return { pids: pid > 0 ? [pid] : [], isContained: true };
}

/** The processes of an Apptainer are children of the slot, as the processes of a job without a container are. */
function isOfApptainer(attempt: string): boolean {
  return maybeFirstLine(path.join(attempt, "container"))?.includes('"name":"apptainer"') === true;
}

/** Returns the processes and their descendants, at most one more than `max`. */
export function treeOf(roots: readonly number[], max = Infinity): number[] {
  const found = new Set(roots);
  // The loop also visits children that are added during the loop.
  for (const pid of found) {
    for (const child of childrenOf(pid)) found.add(child);
    if (found.size > max) break;
  }
  return [...found];
}

export function useOf(pids: readonly number[], isContained: boolean): Use {
  const memory = pids.slice(0, MEASURED_MAX).map(memoryOf);
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const now = sum(memory.map((one) => one.nowKib));
  return {
    pids,
    memoryKib: Math.max(now, ...memory.map((one) => one.mostKib)),
    heldKib: sum(memory.map((one) => one.heldKib)),
    writtenBytes: sum(pids.map(writtenBy)),
    cpuMs: isContained ? sum(pids.map(cpuMsOf)) : 0,
  };
}

/**
 * Returns the memory that the processes hold. Pages of files do not count, because the kernel can take them back. Pages
 * that processes share count once, as far as the kernel tells this user: that is too slow to be asked often.
 */
export function exactlyHeldKib(pids: readonly number[]): number {
  const held = pids.slice(0, MEASURED_MAX).map((pid) => {
    const rollup = readProc(`/proc/${pid}/smaps_rollup`);
    return rollup === undefined ? memoryOf(pid).heldKib : kib(rollup, "Pss_Anon") + kib(rollup, "Pss_Shmem");
  });
  return held.reduce((all, one) => all + one, 0);
}

function memoryOf(pid: number) {
  const status = readProc(`/proc/${pid}/status`) ?? "";
  return {
    nowKib: kib(status, "VmRSS"),
    mostKib: kib(status, "VmHWM"),
    heldKib: kib(status, "RssAnon") + kib(status, "RssShmem"),
  };
}

function kib(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(text)?.[1] ?? 0);
}

/** The kernel adds what the children of a process have written when they end. */
function writtenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readProc(`/proc/${pid}/io`) ?? "")?.[1] ?? 0);
}
