import { Worker } from "node:worker_threads";
import { messageOf } from "#plumbing/errors";
import { answerQuestion } from "#runner/engine/engine-questions";
import { openSession, type SyncSession } from "#runner/engine/engine-runtime";
import type { EngineModule, Reply, Request } from "#runner/engine/worker-messages";

/**
 * Process started by `worker-process.ts`: `engine-worker MODULE MAX_REPLY_CHARS`. The process holds the
 * sessions of several runs of one engine and handles one request at a time.
 */
const [address, maxReply] = process.argv.slice(2);
const loading = import(address!) as Promise<EngineModule>;
const sessions = new Map<number, SyncSession>();

process.on("message", (request: Request) => void answer(request));
process.on("disconnect", () => process.exit());
// Ctrl-C in a terminal reaches the whole process group, but when a worker ends is up to its server.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
endWithParent();

async function answer(request: Request): Promise<void> {
  // An error here ends the process: a module that cannot be loaded is not a fault of the run.
  const module = await loading;
  process.send!(replyTo(module, request));
}

function replyTo(module: EngineModule, request: Request): Reply {
  try {
    const value = answerTo(module, request);
    const reply = typeof value === "string" ? { text: value } : { json: JSON.stringify(value ?? null) };
    const chars = Object.values(reply)[0]!.length;
    if (chars <= Number(maxReply)) return reply;
    return { error: `it answered with ${chars} characters at once; at most ${maxReply} are allowed` };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

function answerTo({ engine, evaluate }: EngineModule, { session: id, call }: Request): unknown {
  if (call.name === "open") {
    sessions.set(id, openSession(engine, call.input, evaluate));
    return engine.version;
  }
  if (call.name === "question") return answerQuestion(engine, call.question);
  const session = sessions.get(id)!;
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

/**
 * Ends this process after its server was killed. The `disconnect` event also ends it, but not while an engine
 * computes, possibly for ever.
 */
function endWithParent(): void {
  const everySecond = `
    setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, "SIGKILL"), 1000);
  `;
  new Worker(everySecond, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
}
