import { Refusal } from "#plumbing/errors";

/**
 * A small file among many in one body. Each starts with a line of JSON, `{"name": "data/1.txt", "bytes": 3}`, followed
 * by that many bytes. Nothing follows the last file. The line of an executable file also has `"executable": true`.
 */
export interface FileRecord {
  readonly name: string;
  readonly content: Buffer;
  readonly isExecutable: boolean;
}

/** Longer than any possible file name. */
const HEAD_MAX_BYTES = 32_768;
const NEWLINE = 0x0a;

export function headOf(name: string, bytes: number, isExecutable: boolean): Buffer {
  return Buffer.from(`${JSON.stringify({ name, bytes, ...(isExecutable && { executable: true }) })}\n`);
}

/** Yields the files of a body. Refuses a body in another format, and a file of more than `maxFileBytes`. */
export async function* readFileRecords(
  body: AsyncIterable<Buffer>,
  maxFileBytes: number,
): AsyncGenerator<FileRecord> {
  const input = new Input(body);
  for (;;) {
    const line = await input.line();
    if (line === undefined) return;
    const { name, bytes, isExecutable } = headFrom(line);
    if (bytes > maxFileBytes) throw tooLarge(maxFileBytes);
    const content = await input.take(bytes);
    if (!content) throw cutShort();
    yield { name, content, isExecutable };
  }
}

interface Head {
  readonly name: string;
  readonly bytes: number;
  readonly isExecutable: boolean;
}

function headFrom(line: Buffer): Head {
  let head: unknown;
  try {
    head = JSON.parse(line.toString());
  } catch (error) {
    throw malformed(error);
  }
  const { name, bytes, executable } = (head ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || !Number.isSafeInteger(bytes) || (bytes as number) < 0) throw malformed();
  return { name, bytes: bytes as number, isExecutable: executable === true };
}

/** Buffer of received bytes. It exceeds the requested size by at most one piece. */
class Input {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(body: AsyncIterable<Buffer>) {
    this.#pieces = body[Symbol.asyncIterator]();
  }

  /** Returns the next line without its newline, or undefined at the end of the body. */
  async line(): Promise<Buffer | undefined> {
    for (let from = 0; ;) {
      const end = this.#rest.indexOf(NEWLINE, from);
      if (end !== -1) return this.#cut(end + 1).subarray(0, end);
      if (this.#rest.length > HEAD_MAX_BYTES) throw malformed();
      from = this.#rest.length;
      if (await this.#more()) continue;
      if (from > 0) throw cutShort();
      return undefined;
    }
  }

  /** Returns the next bytes, or undefined if the body ends too early. */
  async take(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = count;
    for (;;) {
      const part = this.#cut(Math.min(missing, this.#rest.length));
      parts.push(part);
      missing -= part.length;
      if (missing === 0) return parts.length === 1 ? part : Buffer.concat(parts, count);
      if (!(await this.#more())) return undefined;
    }
  }

  #cut(count: number): Buffer {
    const part = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return part;
  }

  async #more(): Promise<boolean> {
    const next = await this.#pieces.next();
    if (next.done) return false;
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
    return true;
  }
}

function malformed(cause?: unknown): Refusal {
  const form = '{"name": "data/1.txt", "bytes": 3}';
  return new Refusal("malformed", `Before each file a line like ${form} is expected.`, { cause });
}

function cutShort(): Refusal {
  return new Refusal("malformed", "The body ends in the middle of a file. The files before it were stored.");
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal("too-large", `A file of more than ${maxBytes} bytes must be uploaded alone.`);
}
