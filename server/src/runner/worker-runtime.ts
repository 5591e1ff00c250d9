import { Worker } from "node:worker_threads";
import type { EngineInput, Graph, Instruction } from "#engines/engine";
import { codeOf } from "#plumbing/errors";
import { EngineFailure, type EngineRuntime, type EngineSession, SessionLost } from "#runner/engine-runtime";
import type { Call, Reply, Request, WorkerSetup } from "#runner/worker-messages";

/**
 * Hosts an engine that evaluates expressions in a thread of its own, so that an author's expression never blocks the
 * server. One thread serves all runs of the engine: it starts with the first session and ends after the last. If it
 * dies, its sessions fail and their runs are resumed on a new one. A run that made it run out of memory would do so
 * again, and fails.
 */
interface WorkerOptions {
  /** Exports `engine` and `evaluate`. */
  readonly module: URL;
  readonly maxMemoryMb?: number;
}

const MAX_MEMORY_MB = 512;
/** The same file in development and when compiled. */
const WORKER_FILE = new URL(import.meta.url.replace(/worker-runtime(?=\.[jt]s$)/, "engine-worker"));

export function workerRuntime(options: WorkerOptions): EngineRuntime {
  let thread: EngineThread | undefined;
  let sessionCount = 0;
  let lastId = 0;

  async function leave(used: EngineThread): Promise<void> {
    if (used !== thread) return;
    sessionCount -= 1;
    if (sessionCount > 0) return;
    thread = undefined;
    await used.end();
  }

  return {
    async open(input) {
      if (!thread?.isAlive()) {
        thread = startThread(options);
        sessionCount = 0;
      }
      const used = thread;
      sessionCount += 1;
      lastId += 1;
      try {
        return await openRemote(used, lastId, input, () => leave(used));
      } catch (error) {
        await leave(used);
        throw error;
      }
    },
  };
}

async function openRemote(
  thread: EngineThread,
  id: number,
  input: EngineInput,
  leave: () => Promise<void>,
): Promise<EngineSession> {
  const version = (await thread.call(id, { name: "open", input })) as number;
  return {
    version,
    start: () => thread.call(id, { name: "start" }) as Promise<readonly Instruction[]>,
    apply: (events) =>
      thread.call(id, { name: "apply", events }) as Promise<readonly (readonly Instruction[])[]>,
    state: () => thread.call(id, { name: "state" }),
    restore: async (state) => void (await thread.call(id, { name: "restore", state })),
    graph: () => thread.call(id, { name: "graph" }) as Promise<Graph>,
    async close() {
      if (thread.isAlive()) await thread.call(id, { name: "close" });
      await leave();
    },
  };
}

interface EngineThread {
  call(session: number, call: Call): Promise<unknown>;
  isAlive(): boolean;
  end(): Promise<void>;
}

function startThread({ module, maxMemoryMb = MAX_MEMORY_MB }: WorkerOptions): EngineThread {
  const setup: WorkerSetup = { module: module.href };
  const worker = new Worker(WORKER_FILE, {
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  let alive = true;

  /**
   * Rejects all waiting requests. They are handled in order, so the oldest is the one that the thread was working on.
   */
  function die(error: Error): void {
    alive = false;
    const isMemory = codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
    for (const [index, { reject }] of [...waiting.values()].entries()) {
      const culprit = isMemory && index === 0;
      reject(
        culprit
          ? new EngineFailure(`The workflow engine needed more than ${maxMemoryMb} MB of memory.`)
          : isMemory
            ? new SessionLost(error.message)
            : error,
      );
    }
    waiting.clear();
  }

  worker.on("message", (reply: Reply) => {
    const request = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ("error" in reply) request?.reject(new Error(reply.error));
    else request?.resolve(reply.value);
  });
  worker.on("error", die);
  worker.on("exit", () => die(new Error("The thread of the workflow engine has ended.")));

  return {
    call(session, call) {
      if (!alive) return Promise.reject(new Error("The thread of the workflow engine has ended."));
      lastId += 1;
      const request: Request = { id: lastId, session, call };
      return new Promise((resolve, reject) => {
        waiting.set(request.id, { resolve, reject });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread's port is no window.
        worker.postMessage(request);
      });
    },
    isAlive: () => alive,
    async end() {
      alive = false;
      await worker.terminate();
    },
  };
}
