import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { watchCall } from "#runner/engine/call-watch";
import { EngineFailure, SessionLost } from "#runner/engine/engine-runtime";
import { messageOf } from "#plumbing/errors";
import { ownModule } from "#plumbing/own-module";
import { maybeProcessorMs } from "#plumbing/processor-time";
import { startProcess } from "#plumbing/start-process";
import type { Call, Reply, Request } from "#runner/engine/worker-messages";

/**
 * A process that holds sessions of an engine. It is a process and not a thread, because V8 aborts the whole process if
 * an array or a map grows past the memory limit of a thread (docs/decisions/20261122-engines-in-worker-processes.md).
 */
export interface EngineProcess {
  /** Rejects with `EngineFailure` if this call exceeds the limits, with `SessionLost` if another call did. */
  call(session: number, call: Call): Promise<unknown>;
  /** Number of calls that have no reply yet. */
  waitingCount(): number;
  isAlive(): boolean;
  end(): void;
}

export interface WorkerLimits {
  /** The engine's heap. */
  readonly maxMemoryMb: number;
  /** Processor time of one call, which brings at most 25 events. */
  readonly maxCallMs: number;
  /** Size of one reply as JSON: 10,000 jobs of 5 KB. */
  readonly maxReplyChars: number;
}

const WORKER_FILE = fileURLToPath(ownModule("#runner/engine/engine-worker"));
/** Without core files: V8 aborts at its memory limit, and a core would be as large as the memory. */
const SHELL_LINE = 'ulimit -c 0; exec "$@"';
/** Limit on the output of a process that is kept for the error that reports its end. */
const PRINTED_MAX_CHARS = 2000;

interface Waiting {
  readonly request: Request;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function startEngineProcess(module: URL, limits: WorkerLimits): EngineProcess {
  /** Absent while it is being started. */
  let child: ChildProcess | undefined;
  /** The process works on the first. The others wait here, so that it is certain on which it works. */
  const waiting: Waiting[] = [];
  let printed = () => "";
  let alive = true;
  let tooLong = false;
  let endWatch = () => {};

  function sendFirst(): void {
    endWatch();
    if (child) keepsServerRunning(child, waiting.length > 0);
    if (!child || waiting.length === 0) return;
    endWatch = watchCall({
      maxCallMs: limits.maxCallMs,
      processorMs: () => maybeProcessorMs(child?.pid),
      onTooLong() {
        tooLong = true;
        child?.kill("SIGKILL");
      },
    });
    // If the process has just ended, its end reports the error.
    child.send(waiting[0]!.request, () => undefined);
  }

  function onReply(reply: Reply): void {
    const { resolve, reject } = waiting.shift()!;
    if ("error" in reply)
      reject(new EngineFailure(`The workflow engine stopped with an error: ${reply.error}`));
    else resolve("text" in reply ? reply.text : JSON.parse(reply.json));
    sendFirst();
  }

  function die(cause: string, signal: NodeJS.Signals | null): void {
    alive = false;
    endWatch();
    const unexplained = new Error(`The process of the workflow engine has ended (${cause}). ${printed()}`);
    rejectAll(waiting.splice(0), excessOf(signal, tooLong, limits), unexplained);
  }

  function onStarted(started: ChildProcess): void {
    child = started;
    child.once("error", (error) => die(error.message, null));
    // Comes after the last reply, unlike `exit`.
    child.once("close", (code, signal) => die(String(signal ?? code), signal));
    printed = endOf(child.stderr!);
    child.on("message", (reply: Reply) => onReply(reply));
    if (!alive) child.kill("SIGKILL");
    sendFirst();
  }

  startWorker(module, limits).then(onStarted, (error: unknown) => die(messageOf(error), null));

  return {
    call(session, call) {
      if (!alive) return Promise.reject(new SessionLost(LOST));
      return new Promise((resolve, reject) => {
        if (waiting.push({ request: { session, call }, resolve, reject }) === 1) sendFirst();
      });
    },
    waitingCount: () => waiting.length,
    isAlive: () => alive,
    end() {
      alive = false;
      child?.kill("SIGKILL");
    },
  };
}

const LOST = "The process of the workflow engine has ended.";

/** Collects what a process prints, and returns a function that returns the end of that text. */
function endOf(stream: Readable): () => string {
  let end = "";
  stream.setEncoding("utf8").on("data", (text: string) => (end = (end + text).slice(-PRINTED_MAX_CHARS)));
  return () => end;
}

/** Rejects the calls of a process that has ended. Only the first one can have exceeded a limit. */
function rejectAll(
  [first, ...others]: readonly Waiting[],
  excess: string | undefined,
  unexplained: Error,
): void {
  first?.reject(excess === undefined ? unexplained : new EngineFailure(excess));
  for (const { reject } of others) reject(excess === undefined ? unexplained : new SessionLost(LOST));
}

/** Returns which limit the process exceeded; undefined if it ended for another reason. */
function excessOf(
  signal: NodeJS.Signals | null,
  tooLong: boolean,
  { maxCallMs, maxMemoryMb }: WorkerLimits,
): string | undefined {
  if (tooLong) return `The workflow engine computed for more than ${maxCallMs / 1000} s without a result.`;
  return signal === "SIGABRT"
    ? `The workflow engine needed more than ${maxMemoryMb} MB of memory.`
    : undefined;
}

/** Starts the process with an environment of its own: no token, and the same language and time zone everywhere. */
function startWorker(module: URL, { maxMemoryMb, maxReplyChars }: WorkerLimits): Promise<ChildProcess> {
  // Node adds a folder of its version to the one that it is given, and reports both.
  const cache = getCompileCacheDir();
  const flags = [`--max-old-space-size=${maxMemoryMb}`, "--v8-pool-size=1"];
  const command = [process.execPath, ...flags, WORKER_FILE, module.href, String(maxReplyChars)];
  return startProcess(() =>
    spawn("/bin/sh", ["-c", SHELL_LINE, "sh", ...command], {
      cwd: "/",
      env: {
        TZ: "UTC",
        LC_ALL: "C",
        ...(cache !== undefined && { NODE_COMPILE_CACHE: path.dirname(cache) }),
      },
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      serialization: "advanced",
    }),
  );
}

interface Refable {
  ref(): unknown;
  unref(): unknown;
}

/** An idle process must not keep the server's process from ending. */
function keepsServerRunning(child: ChildProcess, keeps: boolean): void {
  const change = keeps ? "ref" : "unref";
  child[change]();
  child.channel?.[change]();
  (child.stderr as Refable | null)?.[change]();
}
