import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Socket } from "node:net";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import { withHelperLog } from "#backends/process/slots/helper-log";
import { messageOf } from "#plumbing/errors";
import { startProcess } from "#plumbing/start-process";

/**
 * The process that enforces the limits of jobs (keeper.sh). The keeper outlives the server as long as any job
 * runs.
 */
export interface Keeper {
  /** Makes sure that the keeper is running. */
  keep(): void;
  close(): void;
}

/** Time in which podman's monitor makes a container. It takes 0.1 s, and seconds on a machine with too much to do. */
const CONTAINER_SECONDS = 60;
const SCRIPT = fileURLToPath(new URL("./keeper.sh", import.meta.url));

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
 * Creates the keeper. `onGone` is called when its process has ended or could not be started: if jobs run, they need
 * another.
 */
export function createKeeper(
  { folder, hostId, containerSeconds = CONTAINER_SECONDS }: KeeperOptions,
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
      const words = ["--norc", SCRIPT, folder, hostId, String(containerSeconds)];
      const child = await withHelperLog(folder, (stderr) =>
        startProcess(() => spawn("bash", words, spawnOptions(stderr))),
      );
      own.process = child;
      child.unref();
      socketOf(child)?.unref();
      child.once("exit", (code, signal) => gone(signal ?? `exit code ${code}`));
      if (current !== own) socketOf(child)?.destroy();
    } catch (error) {
      gone(messageOf(error));
    }
  }

  return {
    keep() {
      // A job may have stopped the keeper.
      if (current) current.process?.kill("SIGCONT");
      else void start();
    },
    close() {
      const child = current?.process;
      current = undefined;
      if (child) socketOf(child)?.destroy();
    },
  };
}

/** The socket that tells the keeper about the end of the server. */
function socketOf(child: ChildProcess): Socket | undefined {
  return child.stdio[3] as Socket | undefined;
}
