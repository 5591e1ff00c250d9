import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** More descriptors than any start needs: two for each pipe, and two for the start itself. */
const ROOM = 16;

/**
 * Starts a process by a call of `spawn`. Resolves before the process can have printed or ended, so that no
 * event is missed. Rejects if the process cannot be started, also if no file descriptor is free: `spawn` then
 * returns a child without streams, whose `kill` would signal the group of this process, and reports the error
 * later.
 */
export async function startProcess<Child extends ChildProcess>(spawn: () => Child): Promise<Child> {
  requireRoom();
  const child = spawn();
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    // The listener stays: an error of a later signal must not end this process. The end of the child is
    // reported separately.
    child.on("error", reject);
  });
  return child;
}

/** Throws unless enough file descriptors are free. Node leaks the pipes of a start that fails halfway. */
function requireRoom(): void {
  const taken: number[] = [];
  try {
    while (taken.length < ROOM) taken.push(openSync("/dev/null", "r"));
  } finally {
    for (const fd of taken) closeSync(fd);
  }
}
