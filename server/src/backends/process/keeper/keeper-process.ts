import { read, writeSync } from "node:fs";
import process from "node:process";
import { lookAtAll } from "#backends/process/keeper/look";
import { attempt, emptyLongLog } from "#backends/process/keeper/report";
import { createWatch } from "#backends/process/keeper/watch";
import { codeOf } from "#plumbing/errors";

/**
 * The keeper: enforces the limits of jobs, even while no server is running. Its arguments are the folder of the jobs, the
 * id of the host, and the seconds in which podman's monitor has to make a container. Descriptor 3 is the connection to the
 * server. The end of the connection means that the server has gone or needs no keeper: the keeper then stays while any job
 * runs.
 */
const [folder, hostId, containerSeconds] = process.argv.slice(2) as [string, string, string];
const watch = createWatch({ folder, hostId, containerSeconds: Number(containerSeconds) });
const SERVER_FD = 3;

/** Jobs with a memory limit are checked more often, so that they cannot grow far beyond. */
const PAUSE_MS = 1000;
const MEMORY_PAUSE_MS = 250;

let isServed = true;
let next = setTimeout(turn, MEMORY_PAUSE_MS);

/** A thread of this process waits for the end of the connection: `node:net` would take 2 MB more. */
read(SERVER_FD, () => {
  isServed = false;
  clearTimeout(next);
  turn();
});

/** Successive looks without a job after which the keeper offers to end. */
const IDLE_LOOKS_MAX = 10;
let idleLooks = 0;

function turn(): void {
  attempt(emptyLongLog);
  const seen = attempt(() => lookAtAll(watch));
  if (seen) {
    const isIdle = seen.jobs === 0 && (seen.stopped === 0 || !isServed);
    idleLooks = isIdle ? idleLooks + 1 : 0;
    if (isIdle && !isServed) end();
    if (idleLooks === IDLE_LOOKS_MAX) offerToEnd();
  }
  next = setTimeout(turn, seen?.hasMemoryLimit ? MEMORY_PAUSE_MS : PAUSE_MS);
}

/** The server closes the connection, unless a new job needs the keeper: only the server knows of jobs that are starting. */
function offerToEnd(): void {
  idleLooks = 0;
  try {
    writeSync(SERVER_FD, ".");
  } catch (error) {
    // The server has just closed the connection.
    if (codeOf(error) !== "EPIPE") throw error;
  }
}

/** Ends at once: `process.exit()` would wait for a thread that a slow /proc or file system holds up. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}
