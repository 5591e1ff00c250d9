import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";

/** Changes whenever the machine restarts: a process identity from another boot names no process. */
export function readBootId(): string {
  if (process.platform === "darwin") {
    return execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" }).trim();
  }
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}
