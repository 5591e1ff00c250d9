import { ImageProblem } from "#backends/container/images";

export interface ArchiveEntry {
  readonly kind: "file" | "folder" | "link" | "hard link";
  readonly name: string;
  /** The target of a link. */
  readonly target: string;
}

const BLOCK_BYTES = 512;
/** Limit on the attributes that stand before an entry. */
const ATTRIBUTES_BYTES_MAX = 2 ** 20;
const ATTRIBUTES = "x";
const KINDS: Readonly<Record<string, ArchiveEntry["kind"] | undefined>> = {
  "": "file",
  "0": "file",
  "1": "hard link",
  "2": "link",
  "5": "folder",
};

/**
 * Reads the entries of a tar, without their content. What no archive of images needs is refused, so that another reader
 * cannot find other names in it.
 */
export async function* archiveEntries(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchiveEntry> {
  const bytes = new Bytes(chunks);
  let longSize: number | undefined;
  for (;;) {
    const header = await bytes.take(BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return;
    const type = textAt(header, 156, 1);
    const ownSize = sizeIn(header);
    const size = type === ATTRIBUTES ? ownSize : (longSize ?? ownSize);
    if (type === ATTRIBUTES) {
      if (size > ATTRIBUTES_BYTES_MAX) throw new ImageProblem("the attributes of an entry are too long");
      longSize = sizeAmong(await bytes.take(size));
    } else {
      const kind = KINDS[type];
      if (!kind || (kind !== "file" && size > 0))
        throw new ImageProblem(`it has an entry of type "${type}", which no archive of images needs`);
      yield { kind, name: nameIn(header), target: textAt(header, 157, 100) };
      await bytes.skip(size);
      longSize = undefined;
    }
    await bytes.skip(-size & (BLOCK_BYTES - 1));
  }
}

/** Returns the size after a check of the header's sum: octal digits, or a number of which the first byte is 0x80. */
function sizeIn(header: Buffer): number {
  const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  const size = header[124] === 0x80 ? header.readUIntBE(130, 6) : octalAt(header, 124, 12);
  if (octalAt(header, 148, 8) !== sum || !Number.isSafeInteger(size))
    throw new ImageProblem("it is no tar archive, plain or packed with gzip or zstd");
  return size;
}

function octalAt(header: Buffer, at: number, length: number): number {
  const digits = textAt(header, at, length).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : Number.NaN;
}

function nameIn(header: Buffer): string {
  const prefix = header.toString("latin1", 257, 263) === "ustar\0" ? textAt(header, 345, 155) : "";
  return `${prefix}${prefix && "/"}${textAt(header, 0, 100)}`;
}

/** Returns the size among attributes such as `19 size=8589934592`. Refuses those that give the entry another name. */
function sizeAmong(attributes: Buffer): number | undefined {
  const text = String(attributes);
  if (/(path=|GNU\.sparse)/.test(text)) throw new ImageProblem("an entry has a long or a second name");
  const size = /^\d+ size=(\d+)$/m.exec(text)?.[1];
  return size === undefined ? undefined : Number(size);
}

function textAt(header: Buffer, at: number, length: number): string {
  return header.toString("utf8", at, at + length).split("\0", 1)[0]!;
}

/** Takes exact numbers of bytes from a stream of chunks. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>;
  #kept: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    while (this.#kept.length < count) this.#kept = Buffer.concat([this.#kept, await this.#next()]);
    const taken = this.#kept.subarray(0, count);
    this.#kept = this.#kept.subarray(count);
    return taken;
  }

  async skip(count: number): Promise<void> {
    let left = count;
    for (; left > this.#kept.length; this.#kept = await this.#next()) left -= this.#kept.length;
    this.#kept = this.#kept.subarray(left);
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#chunks.next();
    if (done) throw new ImageProblem("it ends too early");
    return value;
  }
}
