import { readdirSync, readFileSync } from "node:fs";

/** The kernel reports processor time in hundredths of a second on every architecture. */
const MS_PER_TICK = 10;

interface ProcessTimes {
  readonly pid: number;
  readonly parentPid: number;
  readonly name: string;
  /** Processor time of all threads, in user mode and in the kernel, without child processes. */
  readonly ms: number;
}

/** Returns the milliseconds of processor time that a process has used. */
export function processorMs(pid: number): number {
  return timesOf(pid).ms;
}

/** Returns the sum over the engine processes of a server: its children that run Node. */
export function engineMs(serverPid: number): number {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const { name: node } = timesOf(serverPid);
  const children = all.flatMap((pid) => maybeTimesOf(Number(pid)) ?? []);
  return children
    .filter(({ parentPid, name }) => parentPid === serverPid && name === node)
    .reduce((sum, { ms }) => sum + ms, 0);
}

function timesOf(pid: number): ProcessTimes {
  const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!;
  const fields = rest!.split(" ");
  return {
    pid,
    name: name!,
    parentPid: Number(fields[1]),
    ms: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK,
  };
}

/** Returns undefined for a process that has just ended. */
function maybeTimesOf(pid: number): ProcessTimes | undefined {
  try {
    return timesOf(pid);
  } catch {
    return undefined;
  }
}
