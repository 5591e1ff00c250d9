import { readFileSync } from "node:fs";
import { codeOf } from "#plumbing/errors";

/** Hundredths of a second: the unit of processor time on every Linux. */
const MS_PER_TICK = 10;

/** Returns the processor time that the main thread of a process has used. Undefined if the system does not tell. */
export function maybeProcessorMs(pid: number | undefined): number | undefined {
  return maybeMsIn(`/proc/${pid}/task/${pid}/stat`);
}

/** Returns the processor time that all threads of a process have used. Undefined if the system does not tell. */
export function maybeProcessorMsOfAll(pid: number | undefined): number | undefined {
  return maybeMsIn(`/proc/${pid}/stat`);
}

function maybeMsIn(file: string): number | undefined {
  try {
    const stat = readFileSync(file, "utf8");
    // The name of the program stands in parentheses, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
