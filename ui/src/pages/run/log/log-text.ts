const NEWLINE = 10;

/**
 * The bytes of a log and where its lines start. A line becomes a text only when it is shown, so that a million lines
 * cost their bytes and four bytes each.
 */
export class LogText {
  readonly #chunks: Uint8Array[] = [];
  readonly #chunkStarts: number[] = [];
  #lineStarts = new Uint32Array(1024);
  #lines = 0;
  #bytes = 0;
  readonly #decoder = new TextDecoder();

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of lines. The last one may be incomplete. */
  get lines(): number {
    return this.#lines;
  }

  append(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (this.#bytes === 0) this.#startLine(0);
    else if (this.#endsWithNewline()) this.#startLine(this.#bytes);
    for (let at = chunk.indexOf(NEWLINE); at !== -1 && at < chunk.length - 1;) {
      this.#startLine(this.#bytes + at + 1);
      at = chunk.indexOf(NEWLINE, at + 1);
    }
    this.#chunkStarts.push(this.#bytes);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Returns a line, from 0 on, without its line break. */
  line(index: number): string {
    const start = this.#lineStarts[index]!;
    const end = index + 1 < this.#lines ? this.#lineStarts[index + 1]! : this.#bytes;
    return this.#decoder
      .decode(this.#slice(start, Math.min(end, start + MAX_LINE_BYTES)))
      .replace(/\r?\n$/, "");
  }

  /** Returns the line that holds the byte. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.#lines - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns bytes, from one chunk if they are in one. */
  #slice(start: number, end: number): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let index = this.#chunkAt(start); index < this.#chunks.length; index += 1) {
      const first = this.#chunkStarts[index]!;
      if (first >= end) break;
      parts.push(this.#chunks[index]!.subarray(Math.max(0, start - first), end - first));
    }
    return parts.length === 1 ? parts[0]! : joined(parts);
  }

  /** Yields the log in pieces that end with a line, with the offset of each. */
  *blocks(minBytes: number): Generator<{ readonly start: number; readonly bytes: Uint8Array }> {
    for (let line = 0; line < this.#lines;) {
      const start = this.#lineStarts[line]!;
      const next = this.lineAt(start + minBytes) + 1;
      const end = next < this.#lines ? this.#lineStarts[next]! : this.#bytes;
      yield { start, bytes: this.#slice(start, end) };
      line = next;
    }
  }

  #endsWithNewline(): boolean {
    return this.#chunks.at(-1)!.at(-1) === NEWLINE;
  }

  #startLine(offset: number): void {
    if (this.#lines === this.#lineStarts.length) {
      const larger = new Uint32Array(this.#lines * 2);
      larger.set(this.#lineStarts);
      this.#lineStarts = larger;
    }
    this.#lineStarts[this.#lines] = offset;
    this.#lines += 1;
  }

  #chunkAt(offset: number): number {
    let [low, high] = [0, this.#chunks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#chunkStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Part of a very long line that is shown. The download has all of the log. */
const MAX_LINE_BYTES = 20_000;

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
