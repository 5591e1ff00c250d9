import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "#plumbing/errors";
import { openSession, type SyncSession } from "#runner/engine-runtime";
import type { EngineModule, Reply, Request, WorkerSetup } from "#runner/worker-messages";

/** The thread of `worker-runtime.ts`: holds the sessions of all runs of one engine and handles one request at a time. */
const { module } = workerData as WorkerSetup;
const { engine, evaluate } = (await import(module)) as EngineModule;
const sessions = new Map<number, SyncSession>();

parentPort!.on("message", (request: Request) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread's port is no window.
  parentPort!.postMessage(replyTo(request));
});

function replyTo(request: Request): Reply {
  try {
    return { id: request.id, value: answerTo(request) };
  } catch (error) {
    return { id: request.id, error: messageOf(error) };
  }
}

function answerTo({ session: id, call }: Request): unknown {
  if (call.name === "open") {
    sessions.set(id, openSession(engine, call.input, evaluate));
    return engine.version;
  }
  const session = sessions.get(id);
  if (!session) throw new Error(`There is no session ${id}.`);
  switch (call.name) {
    case "start":
      return session.start();
    case "apply":
      return session.apply(call.events);
    case "state":
      return session.state();
    case "restore":
      return session.restore(call.state);
    case "graph":
      return session.graph();
    case "close":
      return sessions.delete(id);
  }
}
