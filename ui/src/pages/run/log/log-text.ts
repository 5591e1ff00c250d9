const NEWLINE = 10;
/** The start of every so-many-th line is remembered. The lines between two are found by their breaks. */
const LINES_PER_MARK = 32;
/** Limit on the part of a very long line that is shown. The download has all of the log. */
const MAX_LINE_BYTES = 20_000;

/**
 * The bytes of a log. A line is decoded only for display, so that a million lines cost little more than their
 * bytes. Past `maxBytes`, the oldest bytes are dropped; the lines keep their numbers.
 */
export class LogText {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #chunkStarts: number[] = [];
  #marks = new Float64Array(256);
  #lines = 0;
  #bytes = 0;
  #firstMark = 0;
  #endsWithNewline = true;
  readonly #decoder = new TextDecoder();

  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** Number of received bytes, including dropped bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of bytes dropped from the beginning. */
  get lostBytes(): number {
    return this.#chunkStarts[0] ?? 0;
  }

  /** Number of lines. The last one may be incomplete. */
  get lines(): number {
    return this.#lines;
  }

  append(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#endsWithNewline) this.#startLine(this.#bytes);
    for (let at = chunk.indexOf(NEWLINE); at !== -1 && at < chunk.length - 1;) {
      this.#startLine(this.#bytes + at + 1);
      at = chunk.indexOf(NEWLINE, at + 1);
    }
    this.#endsWithNewline = chunk.at(-1) === NEWLINE;
    this.#chunkStarts.push(this.#bytes);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#giveUp();
  }

  /** Returns a line, from 0 on, without its line break. A line that was given up is empty. */
  line(index: number): string {
    if (index < this.#firstLine) return "";
    const start = this.#startOf(index);
    const bytes = this.#slice(start, Math.min(this.#bytes, start + MAX_LINE_BYTES));
    const end = bytes.indexOf(NEWLINE);
    return this.#decoder.decode(end === -1 ? bytes : bytes.subarray(0, end)).replace(/\r$/, "");
  }

  /** Returns the line of a byte offset. */
  lineAt(offset: number): number {
    const lastMark = Math.ceil(this.#lines / LINES_PER_MARK) - 1;
    const mark = lastAtMost(offset, (index) => this.#marks[index]!, lastMark);
    let line = mark * LINES_PER_MARK;
    for (let next = this.#nextLine(this.#marks[mark]!); next <= offset && next < this.#bytes; line += 1) {
      next = this.#nextLine(next);
    }
    return line;
  }

  /** Yields the log in pieces that end with a line, with the offset of each. */
  *blocks(minBytes: number): Generator<{ readonly start: number; readonly bytes: Uint8Array }> {
    for (let start = this.#marks[this.#firstMark]!; start < this.#bytes;) {
      const end = this.#nextLine(Math.min(start + minBytes, this.#bytes - 1));
      yield { start, bytes: this.#slice(start, end) };
      start = end;
    }
  }

  get #firstLine(): number {
    return this.#firstMark * LINES_PER_MARK;
  }

  #startLine(offset: number): void {
    if (this.#lines % LINES_PER_MARK === 0) {
      const mark = this.#lines / LINES_PER_MARK;
      if (mark === this.#marks.length) {
        const larger = new Float64Array(mark * 2);
        larger.set(this.#marks);
        this.#marks = larger;
      }
      this.#marks[mark] = offset;
    }
    this.#lines += 1;
  }

  #giveUp(): void {
    while (this.#chunks.length > 1 && this.#bytes - this.#chunkStarts[1]! >= this.#maxBytes) {
      this.#chunks.shift();
      this.#chunkStarts.shift();
    }
    const lastMark = Math.ceil(this.#lines / LINES_PER_MARK) - 1;
    while (this.#firstMark < lastMark && this.#marks[this.#firstMark]! < this.lostBytes) this.#firstMark += 1;
  }

  #startOf(line: number): number {
    let start = this.#marks[Math.floor(line / LINES_PER_MARK)]!;
    for (let more = line % LINES_PER_MARK; more > 0; more -= 1) start = this.#nextLine(start);
    return start;
  }

  /** Returns the offset behind the next line break from there on, or the end of the log. */
  #nextLine(offset: number): number {
    for (let index = this.#chunkAt(offset); index < this.#chunks.length; index += 1) {
      const first = this.#chunkStarts[index]!;
      const at = this.#chunks[index]!.indexOf(NEWLINE, Math.max(0, offset - first));
      if (at !== -1) return first + at + 1;
    }
    return this.#bytes;
  }

  /** Returns a range of bytes, without copying if the range is within one chunk. */
  #slice(start: number, end: number): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let index = this.#chunkAt(start); index < this.#chunks.length; index += 1) {
      const first = this.#chunkStarts[index]!;
      if (first >= end) break;
      parts.push(this.#chunks[index]!.subarray(Math.max(0, start - first), end - first));
    }
    return parts.length === 1 ? parts[0]! : joined(parts);
  }

  #chunkAt(offset: number): number {
    return lastAtMost(offset, (index) => this.#chunkStarts[index]!, this.#chunks.length - 1);
  }
}

/** Returns the last index whose value is not above the limit, or 0. The values rise. */
function lastAtMost(limit: number, valueAt: (index: number) => number, last: number): number {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (valueAt(middle) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
