import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { signal } from "#backends/process/table/process-table";
import { processesWith } from "../crash/promises/processes.ts";

/**
 * Simulates a power cut: ends a marked server, its slots, its keeper and all jobs at the same moment. All
 * processes are stopped first, so no process sees another end.
 */
export async function cutPower(dataFolder: string): Promise<void> {
  const stopped = new Set<number>();
  for (;;) {
    const pids = (await processesWith([dataFolder])).map(({ pid }) => pid).filter((pid) => !stopped.has(pid));
    if (pids.length === 0) break;
    for (const pid of pids) {
      signal(pid, "SIGSTOP");
      stopped.add(pid);
    }
  }
  for (const pid of stopped) signal(pid, "SIGKILL");
  while ((await processesWith([dataFolder])).length > 0) await delay(5);
}

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const OTHER_BOOT = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const read = fs.readFileSync;
fs.readFileSync = (file, ...options) => (file === "${BOOT_ID}" ? "another-boot" : read(file, ...options));
syncBuiltinESMExports();
`;

/** The environment of a server after a reboot of its machine. */
export const AFTER_REBOOT: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import=data:text/javascript,${encodeURIComponent(OTHER_BOOT)}`,
};
