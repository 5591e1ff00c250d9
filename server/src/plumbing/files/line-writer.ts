import { write, writeSync } from "node:fs";
import { promisify } from "node:util";
import { codeOf, messageOf } from "#plumbing/errors";
import { openRotatingFile, type RotatingFile, type Rotation } from "#plumbing/files/rotating-file";

/** Writes lines to a file from a buffer. */
export interface LineWriter {
  /** Never waits and never throws. */
  write(line: string): void;
  /** Writes all buffered lines before it returns. */
  flush(): void;
  /** Opens the file again by its name, because another program has moved it. Buffered lines go to the new one. */
  reopen(): void;
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

/** Opens a writer. It calls `report` once if lines are lost: a full disk under the log must not end the server. */
export function openLineWriter(
  destination: string | number,
  report: (sentence: string) => void,
  rotation?: Rotation,
): LineWriter {
  const file =
    typeof destination === "number"
      ? descriptor(destination)
      : openRotatingFile(destination, report, rotation);
  const lose = reportingLoss(report);
  let lines: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  function take(): Buffer {
    clearTimeout(timer);
    timer = undefined;
    const chunk = Buffer.from(lines.join(""));
    lines = [];
    length = 0;
    return chunk;
  }

  function start(): Promise<void> {
    writing ??= writeAll().finally(() => (writing = undefined));
    return writing;
  }

  async function writeAll(): Promise<void> {
    file.settle();
    while (lines.length > 0) {
      try {
        await writeChunk(file.fd(), take());
      } catch (error) {
        lose(messageOf(error));
      }
      file.settle();
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
        for (let done = 0; done < chunk.length;) done += writeSync(file.fd(), chunk, done);
      } catch (error) {
        lose(messageOf(error));
      }
    },
    reopen() {
      file.reopenNext();
      void start();
    },
    async close() {
      await start();
      file.close();
    },
  };
}

/** Returns a function that reports the first loss of lines. */
function reportingLoss(report: (sentence: string) => void): (error: string) => void {
  let isReported = false;
  return (error) => {
    if (!isReported)
      report(`The log cannot be written: ${error}. The server continues; lines of its log are lost.`);
    isReported = true;
  };
}

/** A descriptor that this process was given: nothing is rotated, and it stays open. */
function descriptor(fd: number): RotatingFile {
  return { fd: () => fd, settle: () => undefined, reopenNext: () => undefined, close: () => undefined };
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
