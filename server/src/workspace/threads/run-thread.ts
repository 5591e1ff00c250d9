import { type ResourceLimits, Worker } from "node:worker_threads";

interface ThreadOptions {
  readonly data: unknown;
  readonly signal: AbortSignal;
  readonly memory?: ResourceLimits;
}

/**
 * Runs a module in a thread until the module ends, and returns all messages of the thread. An abort ends the thread
 * early: the messages received before the abort are returned.
 */
export async function runThread<Message>(
  module: URL,
  { data, signal, memory = {} }: ThreadOptions,
): Promise<Message[]> {
  if (signal.aborted) return [];
  const messages: Message[] = [];
  const worker = new Worker(module, { workerData: data, resourceLimits: memory });
  const end = () => void worker.terminate();
  signal.addEventListener("abort", end);
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (message: Message) => void messages.push(message));
      worker.once("error", reject);
      worker.once("exit", () => resolve());
    });
  } finally {
    signal.removeEventListener("abort", end);
  }
  return messages;
}
