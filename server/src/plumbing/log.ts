import pino from "pino";
import { type Clock, systemClock } from "#plumbing/clock";
import { codeOf, messageOf } from "#plumbing/errors";
import { redact } from "#plumbing/redact";

/** JSON lines, written without waiting. Every line goes through `redact`: no token ever reaches the log. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /** Writes what is still in memory. */
  close(): Promise<void>;
}

export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

export interface LogOptions {
  readonly level: LogLevel;
  /** The path of a file, a descriptor (2 is standard error), or whatever takes lines. */
  readonly destination: string | number | { write(line: string): void };
}

export function createLog(options: LogOptions): Log {
  const { level, destination } = options;
  const stream = typeof destination === "object" ? destination : openFile(destination);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: timestamps(systemClock),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      hooks: { streamWrite: redact },
    },
    stream,
  );
  return Object.assign(logger, { close: () => closeStream(stream) });
}

/** The same text for all lines of a millisecond: making it costs as much as the rest of a line. */
function timestamps(clock: Clock): () => string {
  let lastMs = 0;
  let text = "";
  return () => {
    const nowMs = clock.now();
    if (nowMs === lastMs) return text;
    lastMs = nowMs;
    text = `,"time":"${new Date(nowMs).toISOString()}"`;
    return text;
  };
}

type FileStream = ReturnType<typeof pino.destination>;

/**
 * Lines are written this much at a time, or after this while: handing a write to another thread costs as much as
 * several requests.
 */
const BUFFER_BYTES = 65_536;
const FLUSH_INTERVAL_MS = 250;

function openFile(destination: string | number): FileStream {
  // mkdir: the log may be the first file of its folder. mode: addresses and names of users stand in it.
  const stream = pino.destination({
    dest: destination,
    sync: false,
    minLength: BUFFER_BYTES,
    maxWrite: 2 * BUFFER_BYTES,
    periodicFlush: FLUSH_INTERVAL_MS,
    mkdir: true,
    mode: 0o600,
  });
  stream.on("error", sayOnce());
  return stream;
}

/** A full disk under the log must not end the server; somebody should still hear of it. */
function sayOnce(): (error: unknown) => void {
  let said = false;
  return (error) => {
    if (said) return;
    said = true;
    process.stderr.write(`The log cannot be written: ${messageOf(error)}. The server goes on without it.\n`);
  };
}

async function closeStream(stream: FileStream | { write(line: string): void }): Promise<void> {
  if (!("end" in stream)) return;
  await new Promise<void>((resolve) => {
    stream.once("close", resolve);
    stream.once("error", () => resolve());
    stream.end();
  });
}

/** Only what helps, because other people's errors carry whole requests with them. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return messageOf(error);
  const code = codeOf(error);
  return {
    type: error.name,
    message: error.message,
    ...(code !== undefined && { code }),
    stack: error.stack,
    ...(error.cause !== undefined && depth < 3 && { cause: describeError(error.cause, depth + 1) }),
  };
}
