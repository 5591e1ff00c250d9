import { markedProcesses } from "#backends/local/processes/marked-processes";
import { statFields } from "#backends/local/processes/process-table";

/** Length of a clock tick in /proc. The kernel's `USER_HZ` is 100 on all architectures that Node runs on. */
const TICK_MS = 10;
/** Positions of user time, system time, and both of children that have ended, after the command's name. */
const TIME_FIELDS = [11, 12, 13, 14];

/** Returns the processor time that the processes with one of these marks have used so far, with that of ended children. */
export async function cpuMsSoFar(marks: ReadonlySet<string>): Promise<number> {
  const { pids } = await markedProcesses(marks);
  return pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}

/** Returns 0 if the process is gone: its parent has its time, or the end of its job will tell it. */
function cpuMsOf(pid: number): number {
  const fields = statFields(pid);
  if (!fields) return 0;
  return TIME_FIELDS.reduce((sum, at) => sum + Number(fields[at]), 0) * TICK_MS;
}
