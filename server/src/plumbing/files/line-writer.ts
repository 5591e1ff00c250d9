import { close, mkdirSync, openSync, write, writeSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { codeOf, messageOf } from "#plumbing/errors";

/** Writes lines to a file from a buffer. */
export interface LineWriter {
  /** Never waits and never throws. */
  write(line: string): void;
  /** Writes all buffered lines before it returns. */
  flush(): void;
  /** Writes all buffered lines and closes the file. */
  close(): Promise<void>;
}

/**
 * The chunk size in characters and the longest wait: a write costs as much as several requests, so lines are collected.
 * (Measured: pino's own writer doubles the cost, because it measures its whole buffer for each line.)
 */
const CHUNK_LENGTH = 65_536;
const MAX_WAIT_MS = 100;
/** Limit of the characters kept while they cannot be written. */
const MAX_PENDING_LENGTH = 16 * 2 ** 20;
/** Wait for a pipe whose reader is slow. */
const RETRY_MS = 50;

const writeSome = promisify(write);
const closeDescriptor = promisify(close);

/** Opens a writer. It calls `report` once if lines are lost: a full disk under the log must not end the server. */
export function openLineWriter(destination: string | number, report: (sentence: string) => void): LineWriter {
  const fd = typeof destination === "number" ? destination : openFile(destination);
  let lines: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let reported = false;

  function take(): Buffer {
    clearTimeout(timer);
    timer = undefined;
    const chunk = Buffer.from(lines.join(""));
    lines = [];
    length = 0;
    return chunk;
  }

  function lose(error: string): void {
    if (!reported)
      report(`The log cannot be written: ${error}. The server continues; lines of its log are lost.`);
    reported = true;
  }

  function start(): Promise<void> {
    writing ??= writeAll().finally(() => (writing = undefined));
    return writing;
  }

  async function writeAll(): Promise<void> {
    while (lines.length > 0) {
      try {
        await writeChunk(fd, take());
      } catch (error) {
        lose(messageOf(error));
      }
    }
  }

  return {
    write(line) {
      if (length > MAX_PENDING_LENGTH) return lose("its file accepts lines too slowly");
      lines.push(line);
      length += line.length;
      if (length >= CHUNK_LENGTH) void start();
      else timer ??= setTimeout(() => void start(), MAX_WAIT_MS).unref();
    },
    flush() {
      const chunk = take();
      try {
        for (let done = 0; done < chunk.length;) done += writeSync(fd, chunk, done);
      } catch (error) {
        lose(messageOf(error));
      }
    },
    async close() {
      await start();
      if (typeof destination === "string") await closeDescriptor(fd);
    },
  };
}

/** Opens the log for its owner alone, and creates its folder if it is missing. */
function openFile(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  return openSync(file, "a", 0o600);
}

async function writeChunk(fd: number, chunk: Buffer): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    try {
      done += (await writeSome(fd, chunk, done)).bytesWritten;
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
