import { write, writeSync } from "node:fs";
import { promisify } from "node:util";
import { codeOf, messageOf } from "#plumbing/errors";
import { openRotatingFile, type RotatingFile, type Rotation } from "#plumbing/files/rotating-file";

/** Writes lines to a file from a buffer. */
export interface LineWriter {
  /** Never waits and never throws. */
  write(line: string): void;
  /**
   * Writes all buffered lines before it returns. They follow as soon as possible if a write of earlier lines is under
   * way, or if the destination is a pipe that is full.
   */
  flush(): void;
  /**
   * Opens the file again by name, because another program has moved it. Buffered lines go to the new file.
   */
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
/** Delay before writing again to a pipe with a slow reader. */
const RETRY_MS = 50;

const NEWLINE = 0x0a;

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
  const name = typeof destination === "number" ? "The log" : `The log ${destination}`;
  return new BufferedLines(file, reportingLoss(name, report));
}

class BufferedLines implements LineWriter {
  readonly #file: RotatingFile;
  readonly #lose: (reason: string) => void;
  readonly #chunk: Chunk;
  #lines: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isInFlight = false;
  /** True if the buffered lines are to be written now. Lines that arrive during a write wait as any others. */
  #isDue = false;

  constructor(file: RotatingFile, lose: (reason: string) => void) {
    this.#file = file;
    this.#lose = lose;
    this.#chunk = new Chunk(file);
  }

  write(line: string): void {
    if (this.#length > MAX_PENDING_LENGTH) return this.#lose("writing to it is too slow");
    this.#lines.push(line);
    this.#length += line.length;
    // Not at once: a flush that follows would find the write under way.
    if (this.#length >= CHUNK_LENGTH) queueMicrotask(() => void this.#start());
    else this.#timer ??= setTimeout(() => void this.#start(), MAX_WAIT_MS).unref();
  }

  flush(): void {
    this.#isDue = true;
    try {
      while (!this.#isInFlight && this.#hasMore()) {
        this.#load();
        this.#chunk.advance(writeSync(this.#file.fd(), this.#chunk.rest));
      }
    } catch (error) {
      if (codeOf(error) === "EAGAIN") void this.#start();
      else this.#giveUp(error);
    }
  }

  reopen(): void {
    this.#file.reopenNext();
    void this.#start();
  }

  async close(): Promise<void> {
    while (this.#hasMore()) await this.#start();
    this.#file.close();
  }

  #hasMore(): boolean {
    return !this.#chunk.isWritten || this.#lines.length > 0;
  }

  /** Puts the lines into the chunk if it is empty. */
  #load(): void {
    if (!this.#chunk.isWritten) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
    const text = this.#lines.join("");
    this.#lines = [];
    this.#length = 0;
    this.#chunk.fill(text);
  }

  #start(): Promise<void> {
    this.#isDue = true;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    if (this.#chunk.isWritten) this.#file.settle();
    while (this.#isDue ? this.#hasMore() : !this.#chunk.isWritten) {
      const error = await this.#writeSome();
      if (codeOf(error) === "EAGAIN") await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      else if (error !== undefined) this.#giveUp(error);
      if (this.#chunk.isWritten) this.#file.settle();
    }
  }

  /** Returns the error if the write failed. */
  async #writeSome(): Promise<unknown> {
    try {
      this.#load();
      this.#isInFlight = true;
      const { bytesWritten } = await writeSome(this.#file.fd(), this.#chunk.rest);
      this.#chunk.advance(bytesWritten);
      return undefined;
    } catch (error) {
      return error;
    } finally {
      this.#isInFlight = false;
    }
  }

  #giveUp(error: unknown): void {
    this.#chunk.drop();
    this.#lose(messageOf(error));
  }
}

/**
 * The bytes being written. A newline precedes them if only half of the last line was written, or if the file
 * ended in half a line when it was opened.
 */
class Chunk {
  readonly #file: RotatingFile;
  #rest = Buffer.alloc(0);
  #fd: number | undefined;
  #isWithinLine = false;

  constructor(file: RotatingFile) {
    this.#file = file;
  }

  get rest(): Buffer {
    return this.#rest;
  }

  get isWritten(): boolean {
    return this.#rest.length === 0;
  }

  fill(text: string): void {
    if (this.#fd !== this.#file.fd()) this.#isWithinLine = this.#file.endsWithinLine();
    this.#fd = this.#file.fd();
    this.#rest = Buffer.from(this.#isWithinLine ? `\n${text}` : text);
  }

  advance(bytes: number): void {
    this.#isWithinLine = this.#rest[bytes - 1] !== NEWLINE;
    this.#rest = this.#rest.subarray(bytes);
  }

  drop(): void {
    this.#rest = this.#rest.subarray(this.#rest.length);
  }
}

/** Returns a function that reports the first loss of lines. */
function reportingLoss(name: string, report: (sentence: string) => void): (error: string) => void {
  let isReported = false;
  return (error) => {
    if (!isReported)
      report(`${name} cannot be written: ${error}. The server continues; lines of this log are lost.`);
    isReported = true;
  };
}

/** Wraps an inherited descriptor, which is never rotated or closed. */
function descriptor(fd: number): RotatingFile {
  const nothing = () => undefined;
  return { fd: () => fd, endsWithinLine: () => false, settle: nothing, reopenNext: nothing, close: nothing };
}
