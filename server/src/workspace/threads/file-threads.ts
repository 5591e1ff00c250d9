import { Worker } from "node:worker_threads";
import { ownModule } from "#plumbing/own-module";
import type { FileWork, WorkReply, WorkRequest } from "#workspace/threads/file-work";

/**
 * Reads, hashes and copies large files in threads, so that the server can answer other requests. A thread
 * lives while it has work, and works on several files in turn.
 */
export interface FileThreads {
  /** Returns the digest of the bytes that were read. Rejects soon after the signal aborts. */
  work(work: FileWork, signal: AbortSignal): Promise<string>;
}

/** Hashing and copying are bound by the disk and by one core each: more threads take cores from the jobs. */
const THREADS_MAX = 2;

export function createFileThreads(): FileThreads {
  const threads: FileThread[] = [];
  return {
    async work(work, signal) {
      signal.throwIfAborted();
      const thread = pick(threads);
      try {
        return await thread.work(work, signal);
      } finally {
        if (thread.load() === 0 && threads.includes(thread)) {
          threads.splice(threads.indexOf(thread), 1);
          void thread.end();
        }
      }
    },
  };
}

/** Returns an idle thread or a new thread; at the maximum, returns the thread with the least work. */
function pick(threads: FileThread[]): FileThread {
  const least = threads.toSorted((one, other) => one.load() - other.load())[0];
  if (least && (least.load() === 0 || threads.length === THREADS_MAX)) return least;
  const thread = startThread(() => {
    if (threads.includes(thread)) threads.splice(threads.indexOf(thread), 1);
  });
  threads.push(thread);
  return thread;
}

interface FileThread {
  work(work: FileWork, signal: AbortSignal): Promise<string>;
  /** Number of files in progress. */
  load(): number;
  end(): Promise<unknown>;
}

interface Waiting {
  readonly resolve: (digest: string) => void;
  readonly reject: (error: unknown) => void;
}

function startThread(onDeath: () => void): FileThread {
  const worker = new Worker(ownModule("#workspace/threads/file-thread"));
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  const tell = (request: WorkRequest) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread's port is no window.
    worker.postMessage(request);
  };
  const die = (error: unknown) => {
    onDeath();
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.on("message", (reply: WorkReply) => {
    const { resolve, reject } = waiting.get(reply.id)!;
    waiting.delete(reply.id);
    if ("digest" in reply) resolve(reply.digest);
    else reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
  });
  worker.on("error", die);
  worker.on("exit", () => die(new Error("The thread that reads files has ended.")));
  return {
    work(work, signal) {
      const id = (lastId += 1);
      const abort = () => tell({ id, isAborted: true });
      signal.addEventListener("abort", abort);
      const digest = new Promise<string>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        tell({ id, work });
      });
      return digest
        .catch((error: unknown) => {
          throw signal.aborted ? signal.reason : error;
        })
        .finally(() => signal.removeEventListener("abort", abort));
    },
    load: () => waiting.size,
    end: () => worker.terminate(),
  };
}
