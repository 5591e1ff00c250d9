import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { crashPoint } from "#plumbing/crash-points";

/** The long-lived shell that forks a supervisor for each job (host.sh). It is started when the first job comes. */
export interface JobHost {
  run(order: JobOrder): Promise<void>;
  /** The host leaves; the supervisors of running jobs go on. */
  close(): void;
}

export interface JobOrder {
  readonly id: string;
  readonly folder: string;
  readonly workspaceFolder: string;
  readonly timeLimitMs: number | null;
}

const SCRIPT = fileURLToPath(new URL("./host.sh", import.meta.url));

/** `onLeft` is told the id of each job whose supervisor has left. A host that dies is replaced by the next order. */
export function createJobHost(onLeft: (id: string) => void): JobHost {
  let current: Promise<ChildProcess> | undefined;

  function host(): Promise<ChildProcess> {
    current ??= start();
    return current;
  }

  function start(): Promise<ChildProcess> {
    // Nothing of the server's environment but the path to programs; what a job is given comes with its order.
    const env = { PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
    const child = spawn("bash", ["--norc", SCRIPT], {
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
      env,
    });
    createInterface({ input: child.stdout }).on("line", onLeft);
    // A host that died cannot be written to; its jobs are looked at, and ordered again where nobody claimed them.
    child.stdin.on("error", () => undefined);
    const forget = () => (current = undefined);
    return new Promise((resolve, reject) => {
      child.once("spawn", () => resolve(child));
      child.once("error", (error) => {
        forget();
        reject(new Error(`The shell that runs jobs could not be started: ${error.message}`));
      });
      child.once("exit", forget);
    });
  }

  return {
    async run(order) {
      const limitSeconds = order.timeLimitMs === null ? 0 : order.timeLimitMs / 1000;
      const fields = [order.id, order.folder, order.workspaceFolder, String(limitSeconds)];
      const child = await host();
      child.stdin!.write(fields.map((field) => `${field}\0`).join(""));
      crashPoint("order-sent");
    },
    close() {
      void current?.then(letGo);
      current = undefined;
    },
  };
}

/** Supervisors that go on hold the other end of the pipe: it must not keep the server from ending. */
function letGo(child: ChildProcess): void {
  child.stdin!.end();
  child.stdout!.destroy();
  child.unref();
}
