import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import path from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { watchCall } from "#runner/engine/call-watch";
import { EngineFailure, SessionLost } from "#runner/engine/engine-runtime";
import { createTurns } from "#runner/engine/turns";
import { messageOf } from "#plumbing/errors";
import { ownModule } from "#plumbing/own-module";
import { maybeProcessorMs, maybeProcessorMsOfAll } from "#plumbing/processor-time";
import { startProcess } from "#plumbing/start-process";
import type { Call, Reply, Request } from "#runner/engine/worker-messages";

/**
 * A process that holds sessions of an engine. It is a process and not a thread, because V8 aborts the whole process if
 * an array or a map grows past the memory limit of a thread (docs/decisions/20261122-engines-in-worker-processes.md).
 */
export interface EngineProcess {
  /** Rejects with `EngineFailure` if this call exceeds the limits, with `SessionLost` if another call did. */
  call(session: EngineSessionId, call: Call): Promise<unknown>;
  /**
   * Drops the waiting calls of a session, which reject with `SessionLost`. If the process works on a call of
   * the session and does not soon reply, the process is ended: the other runs continue sooner in another
   * process.
   */
  drop(session: EngineSessionId): void;
  /** Number of calls that have no reply yet. */
  waitingCount(): number;
  /** Returns the ids of runs whose calls wait for another run's call. */
  waitingRuns(): readonly string[];
  /** True during a call that may take long. */
  isComputing(): boolean;
  isAlive(): boolean;
  end(): void;
}

export interface EngineSessionId {
  readonly number: number;
  /** Empty for questions, which belong to no run. */
  readonly runId: string;
  /** The owner of the run. Users take turns. */
  readonly ownerId: string;
  /** Called with the processor time of each call. If absent, no user is charged for the time. */
  readonly onUsed?: (processorMs: number) => void;
}

export interface WorkerLimits {
  /** The engine's heap. */
  readonly maxMemoryMb: number;
  /** Processor time of one call with at most 25 events. */
  readonly maxCallMs: number;
  /** Size of one reply as JSON: 10,000 jobs of 5 KB. */
  readonly maxReplyChars: number;
}

const WORKER_FILE = fileURLToPath(ownModule("#runner/engine/engine-worker"));
/** Without core files: V8 aborts at its memory limit, and a core would be as large as the memory. */
const SHELL_LINE = 'ulimit -c 0; exec "$@"';
/** Maximum length of a process's output in the error that reports its end. */
const PRINTED_MAX_CHARS = 2000;
/** Maximum time that a process may work on a call after the run has left. Most calls need less. */
const UNWANTED_MAX_MS = 1000;

interface Waiting {
  readonly request: Request;
  readonly session: EngineSessionId;
  readonly ownerId: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export function startEngineProcess(module: URL, limits: WorkerLimits): EngineProcess {
  return new WorkerProcess(module, limits);
}

class WorkerProcess implements EngineProcess {
  readonly #limits: WorkerLimits;
  /** Undefined during the start. */
  #child: ChildProcess | undefined;
  /** Queue of calls. The process works on one call at a time. */
  readonly #waiting = createTurns<Waiting>();
  /** The current call of the process. */
  #current: Waiting | undefined;
  #printed = () => "";
  #isAlive = true;
  #isTooLong = false;
  /** True if this server has ended the process on purpose. */
  #isEnded = false;
  /** Processor time that the process has used up to the last charge. */
  #usedMs = 0;
  #endWatch = () => {};

  constructor(module: URL, limits: WorkerLimits) {
    this.#limits = limits;
    startWorker(module, limits).then(
      (child) => this.#onStarted(child),
      (error: unknown) => this.#onEnd(messageOf(error), null),
    );
  }

  call(session: EngineSessionId, call: Call): Promise<unknown> {
    if (!this.#isAlive) return Promise.reject(new SessionLost(LOST));
    return new Promise((resolve, reject) => {
      const { number, ownerId } = session;
      this.#waiting.add({ request: { session: number, call }, session, ownerId, resolve, reject });
      if (!this.#current) this.#sendNext();
    });
  }

  drop({ number }: EngineSessionId): void {
    const dropped = this.#waiting.removeAll(({ request }) => request.session === number);
    for (const { reject } of dropped) reject(new SessionLost(LOST));
    const unwanted = this.#current;
    if (unwanted?.request.session !== number) return;
    setTimeout(() => this.#current === unwanted && this.end(), UNWANTED_MAX_MS).unref();
  }

  waitingCount(): number {
    return this.#waiting.waiting().length + (this.#current ? 1 : 0);
  }

  waitingRuns(): readonly string[] {
    const current = this.#current;
    if (!current) return [];
    const ids = this.#waiting.waiting().map(({ session }) => session.runId);
    return ids.filter((id) => id !== current.session.runId);
  }

  isComputing(): boolean {
    return this.#current !== undefined && this.#current.request.call.name !== "close";
  }

  isAlive(): boolean {
    return this.#isAlive;
  }

  end(): void {
    this.#charge();
    this.#isAlive = false;
    this.#isEnded = true;
    this.#child?.kill("SIGKILL");
  }

  /** Charges the present call with the processor time since it was sent. */
  #charge(): void {
    const now = maybeProcessorMsOfAll(this.#child?.pid);
    if (now === undefined) return;
    if (now > this.#usedMs) this.#current?.session.onUsed?.(now - this.#usedMs);
    this.#usedMs = now;
  }

  #onStarted(child: ChildProcess): void {
    this.#child = child;
    child.once("error", (error) => this.#onEnd(error.message, null));
    // Comes after the last reply, unlike `exit`.
    child.once("close", (code, signal) => this.#onEnd(String(signal ?? code), signal));
    this.#printed = endOf(child.stderr!);
    child.on("message", (reply: Reply) => this.#onReply(reply));
    if (!this.#isAlive) child.kill("SIGKILL");
    this.#sendNext();
  }

  #sendNext(): void {
    this.#endWatch();
    const child = this.#child;
    if (!child) return;
    this.#current = this.#waiting.maybeNext();
    keepsServerRunning(child, this.#current !== undefined);
    if (!this.#current) return;
    this.#endWatch = watchCall({
      maxCallMs: this.#limits.maxCallMs,
      processorMs: () => maybeProcessorMs(child.pid),
      onTooLong: () => {
        this.#charge();
        this.#isTooLong = true;
        child.kill("SIGKILL");
      },
    });
    // If the process has just ended, its end reports the error.
    child.send(this.#current.request, () => undefined);
  }

  #onReply(reply: Reply): void {
    this.#charge();
    const { resolve, reject } = this.#current!;
    if ("error" in reply)
      reject(new EngineFailure(`The workflow engine stopped with an error: ${reply.error}`));
    else resolve("text" in reply ? reply.text : JSON.parse(reply.json));
    this.#sendNext();
  }

  #onEnd(cause: string, signal: NodeJS.Signals | null): void {
    this.#isAlive = false;
    this.#endWatch();
    // A process that did not start takes the blame for the first waiting call.
    const first = this.#current ?? this.#waiting.maybeNext();
    this.#current = undefined;
    if (!first) return;
    const unexplained = this.#isEnded
      ? new SessionLost(LOST)
      : new Error(`The process of the workflow engine has ended (${cause}). ${this.#printed()}`);
    const excess = excessOf(signal, this.#isTooLong, this.#limits);
    rejectAll([first, ...this.#waiting.removeAll()], excess, unexplained);
  }
}

const LOST = "The process of the workflow engine has ended.";

/** Collects the output of a process, and returns a function that returns the end of the text. */
function endOf(stream: Readable): () => string {
  let end = "";
  stream.setEncoding("utf8").on("data", (text: string) => (end = (end + text).slice(-PRINTED_MAX_CHARS)));
  return () => end;
}

/** Rejects the calls of an ended process. Only the first call can have exceeded a limit. */
function rejectAll(
  [first, ...others]: readonly Waiting[],
  excess: string | undefined,
  unexplained: Error,
): void {
  first?.reject(excess === undefined ? unexplained : new EngineFailure(excess));
  for (const { reject } of others) reject(excess === undefined ? unexplained : new SessionLost(LOST));
}

/** Returns the limit that the process exceeded. Undefined if it ended for another reason. */
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

/**
 * Starts the process with a separate environment: no token, and the same language and time zone everywhere.
 */
function startWorker(module: URL, { maxMemoryMb, maxReplyChars }: WorkerLimits): Promise<ChildProcess> {
  // Node adds a folder for its version to the given folder, and reports the full path.
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
