import process from "node:process";
import { readProc, statFields } from "#backends/process/table/process-table";

/** Returns the age of a process in hundredths of a second, unaffected by changes to the time of day. */
export function ageTicksOf(pid: number): number {
  const born = statFields(pid)?.[19];
  const up = readProc("/proc/uptime")?.split(" ")[0];
  if (up === undefined) return ageByPs(pid);
  return born === undefined ? 0 : Math.round(Number(up) * 100) - Number(born);
}

/** Without /proc: `ps` prints [[days-]hours:]minutes:seconds. */
function ageByPs(pid: number): number {
  try {
    // Import on use only: machines with /proc never need the module, and its code takes memory.
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const text = execFileSync("ps", ["-o", "etime=", "-p", String(pid)], { encoding: "utf8" });
    const [seconds = 0, minutes = 0, hours = 0, days = 0] = text
      .trim()
      .split(/[:-]/)
      .toReversed()
      .map(Number);
    return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 100;
  } catch {
    return 0; // ps exits with 1 when there is no such process
  }
}
