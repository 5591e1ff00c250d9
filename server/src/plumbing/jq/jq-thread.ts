import { createRequire } from "node:module";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";

/** The result of jq: standard output or an error. */
export type JqResult = { readonly output: string } | { readonly error: string };

interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** 0 while the thread works, 1 once its reply has been sent. */
  readonly flag: Int32Array;
}

/** Source of the thread, as text instead of a separate file. */
const CODE = `
  const { workerData: { module, port, flag } } = require("node:worker_threads");
  const loading = require(module);
  loading.then((jq) => {
    port.on("message", ({ program, json }) => answer(jq, program, json));
    say();
  });
  function answer(jq, program, json) {
    let reply;
    try {
      reply = { output: jq.raw(json, program, ["-c"]) ?? "" };
    } catch (error) {
      reply = { error: String(error.message) };
    }
    port.postMessage(reply);
    say();
  }
  function say() {
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  }
`;

const START_MAX_MS = 60_000;

/**
 * Runs jq in a thread, and waits for each result without doing anything else: engines are synchronous. A program that
 * takes too long is ended with its thread.
 */
export class JqThread {
  readonly #maxMs: number;
  #thread: Thread | undefined;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Returns undefined if the program did not end in time. */
  maybeRun(program: string, json: string): JqResult | undefined {
    const { worker, port, flag } = (this.#thread ??= startThread());
    Atomics.store(flag, 0, 0);
    port.postMessage({ program, json });
    if (Atomics.wait(flag, 0, 0, this.#maxMs) !== "timed-out")
      return receiveMessageOnPort(port)!.message as JqResult;
    this.#thread = undefined;
    void worker.terminate();
    port.close();
    return undefined;
  }
}

function startThread(): Thread {
  const { port1, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const module = createRequire(import.meta.url).resolve("jq-web");
  const worker = new Worker(CODE, {
    eval: true,
    workerData: { module, port: port2, flag },
    transferList: [port2],
  });
  worker.unref();
  port1.unref();
  // Loading jq does not count toward the time of the first program.
  Atomics.wait(flag, 0, 0, START_MAX_MS);
  return { worker, port: port1, flag };
}
