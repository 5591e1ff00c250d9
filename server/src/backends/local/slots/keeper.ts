import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Socket } from "node:net";
import { HOST_ENVIRONMENT } from "#backends/local/slots/host-environment";

/** The process that enforces the limits of jobs (keeper.sh). It outlives the server as long as any job runs. */
export interface Keeper {
  /** Makes sure that the keeper is running. */
  keep(): void;
  close(): void;
}

/** Time in which podman's monitor makes a container. It takes 0.1 s, and seconds on a machine with too much to do. */
const CONTAINER_SECONDS = 60;
const SCRIPT = fileURLToPath(new URL("./keeper.sh", import.meta.url));

export interface KeeperOptions {
  readonly folder: string;
  readonly hostId: string;
  readonly bootId: string;
  /** Replaces the time in which podman's monitor has to make a container. */
  readonly containerSeconds?: number | undefined;
}

/** Creates the keeper. `onGone` is called when its process has ended: if jobs run, they need another. */
export function createKeeper(
  { folder, hostId, bootId, containerSeconds = CONTAINER_SECONDS }: KeeperOptions,
  onGone: (reason: string) => void,
): Keeper {
  let current: ChildProcess | undefined;

  function start(): ChildProcess {
    const words = ["--norc", SCRIPT, folder, bootId, hostId, String(containerSeconds)];
    const child = spawn("bash", words, {
      detached: true,
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: HOST_ENVIRONMENT,
    });
    const gone = (reason: string) => {
      if (current !== child) return;
      current = undefined;
      onGone(reason);
    };
    child.unref();
    socketOf(child)?.unref();
    child.once("error", (error) => gone(error.message));
    child.once("exit", (code, signal) => gone(signal ?? `exit code ${code}`));
    return child;
  }

  return {
    keep() {
      // A job may have stopped it.
      if (current) current.kill("SIGCONT");
      else current = start();
    },
    close() {
      const child = current;
      current = undefined;
      if (child) socketOf(child)?.destroy();
    },
  };
}

/** The socket whose end tells the keeper that the server has gone. */
function socketOf(child: ChildProcess): Socket | undefined {
  return child.stdio[3] as Socket | undefined;
}
