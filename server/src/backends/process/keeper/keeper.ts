import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Socket } from "node:net";
import process from "node:process";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import { withHelperLog } from "#backends/process/slots/helper-log";
import { messageOf } from "#plumbing/errors";
import { ownProgram } from "#plumbing/own-module";
import { startProcess } from "#plumbing/start-process";

/**
 * The process that enforces the limits of jobs (keeper-process.ts). The keeper outlives the server as long as any job
 * runs.
 */
export interface Keeper {
  /** Makes sure that the keeper is running. */
  keep(): void;
  close(): void;
}

/** Time in which podman's monitor makes a container. It takes 0.1 s, and seconds on a machine with too much to do. */
const CONTAINER_SECONDS = 60;
/** The connection between server and keeper, as the keeper sees it. */
const SERVER_FD = 3;
const PROGRAM = ownProgram("#backends/process/keeper/keeper-process");
/** Without V8's threads and compilers, and with a small young generation, the process takes 42 MB instead of 50 MB. */
const FLAGS = ["--single-threaded", "--max-semi-space-size=1", "--no-opt", "--no-sparkplug", "--no-maglev"];
/** Closes the files that the server has inherited. */
const SHELL_LINE =
  'for open in /dev/fd/*; do if ((${open##*/} > 3)); then eval "exec ${open##*/}>&-"; fi; done; exec "$@"';

function spawnOptions(stderr: number | "ignore"): SpawnOptions {
  return {
    detached: true,
    cwd: "/",
    stdio: ["ignore", "ignore", stderr, "pipe"],
    env: HOST_ENVIRONMENT,
  };
}

export interface KeeperOptions {
  readonly folder: string;
  readonly hostId: string;
  /** Replaces the time in which podman's monitor has to make a container. */
  readonly containerSeconds?: number | undefined;
}

/**
 * Creates the keeper. `onGone` is called if its process could not be started or has ended on its own: running jobs then
 * need another keeper. A keeper without a job offers to end; the offer is accepted unless `isNeeded` returns true.
 */
export function createKeeper(
  { folder, hostId, containerSeconds = CONTAINER_SECONDS }: KeeperOptions,
  isNeeded: () => boolean,
  onGone: (reason: string) => void,
): Keeper {
  /** The keeper in use. During its start the keeper has no process yet. */
  let current: { process?: ChildProcess } | undefined;

  async function start(): Promise<void> {
    const own: typeof current = {};
    current = own;
    const gone = (reason: string) => {
      if (current !== own) return;
      current = undefined;
      onGone(reason);
    };
    try {
      const words = [
        "--norc",
        "-c",
        SHELL_LINE,
        "bash",
        process.execPath,
        ...FLAGS,
        PROGRAM,
        folder,
        hostId,
        String(containerSeconds),
      ];
      const child = await withHelperLog(folder, (stderr) =>
        startProcess(() => spawn("bash", words, spawnOptions(stderr))),
      );
      own.process = child;
      child.unref();
      child.once("exit", (code, signal) => gone(signal ?? `exit code ${code}`));
      const socket = child.stdio[SERVER_FD] as Socket;
      socket.unref();
      // The end of the keeper is reported by `exit`.
      socket.on("error", () => undefined);
      socket.on("data", () => {
        if (current === own && !isNeeded()) close();
      });
      if (current !== own) socket.destroy();
    } catch (error) {
      gone(messageOf(error));
    }
  }

  function close(): void {
    const child = current?.process;
    current = undefined;
    (child?.stdio[SERVER_FD] as Socket | undefined)?.destroy();
  }

  return {
    close,
    keep() {
      // A job may have stopped the keeper.
      if (current) current.process?.kill("SIGCONT");
      else void start();
    },
  };
}
