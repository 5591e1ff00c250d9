import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Socket } from "node:net";
import { HOST_ENVIRONMENT } from "#backends/local/slots/order";

/** The process that enforces the limits of jobs (keeper.sh). It outlives the server as long as any job runs. */
export interface Keeper {
  /** Makes sure that the keeper is running. */
  keep(): void;
  close(): void;
}

const SCRIPT = fileURLToPath(new URL("./keeper.sh", import.meta.url));

/** Creates the keeper. `onGone` is called when its process has ended: if jobs run, they need another. */
export function createKeeper(
  { folder, hostId, bootId }: { readonly folder: string; readonly hostId: string; readonly bootId: string },
  onGone: (reason: string) => void,
): Keeper {
  let current: ChildProcess | undefined;

  function start(): ChildProcess {
    const child = spawn("bash", ["--norc", SCRIPT, folder, bootId, hostId], {
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
