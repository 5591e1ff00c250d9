import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** More descriptors than any start needs: two for each pipe, and two for the start itself. */
const ROOM = 16;

/**
 * Starts a process by a call of `spawn`. Resolves before it can have printed anything or ended, so that nothing is missed.
 * Rejects if it cannot be started, also if this process has no file descriptor left: `spawn` then returns a child without
 * streams, whose `kill` would signal the group of this process, and reports the error later.
 */
export async function startProcess<Child extends ChildProcess>(spawn: () => Child): Promise<Child> {
  requireRoom();
  const child = spawn();
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    // Stays: an error of a later signal must not end this process. Its end is reported anyway.
    child.on("error", reject);
  });
  return child;
}

/** Throws unless there is room for a start. Node never closes the pipes of one that fails halfway. */
function requireRoom(): void {
  const taken: number[] = [];
  try {
    while (taken.length < ROOM) taken.push(openSync("/dev/null", "r"));
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}
