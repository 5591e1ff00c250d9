import pino from "pino";
import { type Clock, systemClock } from "#plumbing/clock";
import { codeOf, messageOf } from "#plumbing/errors";
import { type LineWriter, openLineWriter } from "#plumbing/files/line-writer";
import type { Rotation } from "#plumbing/files/rotating-file";
import { redact } from "#plumbing/secrets/redact";

/**
 * A log of JSON lines. Only errors wait for the disk. Every line passes through `redact`: no token ever reaches the
 * log.
 */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /**
   * Writes a line of level `info` at a tenth of the cost, for the hottest path. `fields` is JSON without its braces.
   * The caller builds it only from its own words, numbers and ids, because it is written unchanged.
   */
  infoOfOwnWords(fields: string, message: string): void;
  /** Opens the file again by name, because another program has moved it. */
  reopen(): void;
  /** Writes all buffered lines. */
  close(): Promise<void>;
}

export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

export interface LogOptions {
  readonly level: LogLevel;
  /** The path of a file, a descriptor (2 is standard error), or an object that takes lines. */
  readonly destination: string | number | { write(line: string): void };
  /** If absent, the file grows for ever. */
  readonly rotation?: Rotation;
}

export function createLog(options: LogOptions): Log {
  const { level, destination } = options;
  const lines =
    typeof destination === "object"
      ? unbuffered(destination)
      : openLineWriter(destination, sayOnStandardError, options.rotation);
  const timestamp = timestamps(systemClock);
  const logger = pino(
    {
      level,
      base: null,
      timestamp,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      hooks: { streamWrite: redact },
    },
    lines,
  );
  return {
    debug: (details, message) => logger.debug(details, message),
    info: (details, message) => logger.info(details, message),
    warn: (details, message) => logger.warn(details, message),
    error(details, message) {
      logger.error(details, message);
      // The process that logs an error may be about to die from that error.
      lines.flush();
    },
    infoOfOwnWords: logger.isLevelEnabled("info")
      ? (fields, message) => lines.write(`{"level":"info"${timestamp()},${fields},"msg":"${message}"}\n`)
      : () => undefined,
    reopen: () => lines.reopen(),
    close: () => lines.close(),
  };
}

function unbuffered(destination: { write(line: string): void }): LineWriter {
  const nothing = () => undefined;
  return {
    write: (line) => destination.write(line),
    flush: nothing,
    reopen: nothing,
    close: async () => undefined,
  };
}

function sayOnStandardError(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** Returns a function that formats the time once per millisecond: formatting costs as much as the rest of a line. */
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

/** Picks the useful fields, because errors of libraries may carry whole requests with them. */
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
