import { sizeAmong } from "#backends/containers/archives/archive-attributes";
import { type ArchiveHeader, headerIn } from "#backends/containers/archives/archive-header";
import { ImageProblem } from "#backends/containers/image-problem";
import { printable } from "#plumbing/text/printable";

export interface ArchiveEntry {
  readonly kind: "file" | "folder" | "link" | "hard link";
  readonly name: string;
  /** The target of a link. */
  readonly target: string;
}

const BLOCK_BYTES = 512;
/** Limit on the attributes before an entry. */
const ATTRIBUTES_BYTES_MAX = 2 ** 20;
const ATTRIBUTES = "x";
const KINDS: Readonly<Record<string, ArchiveEntry["kind"] | undefined>> = {
  "\0": "file",
  "0": "file",
  "1": "hard link",
  "2": "link",
  "5": "folder",
};

/**
 * Reads the entries of a tar, without their content. Accepts only the features that image archives need, in a
 * form that every reader understands alike, because podman must not find different entries. Closes the source
 * at the end.
 */
export async function* archiveEntries(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchiveEntry> {
  const bytes = new Bytes(chunks);
  try {
    yield* entriesIn(bytes);
  } finally {
    await bytes.close();
  }
}

async function* entriesIn(bytes: Bytes): AsyncGenerator<ArchiveEntry> {
  for (;;) {
    let header = await nextHeader(bytes);
    let longSize: number | undefined;
    if (header?.type === ATTRIBUTES) {
      longSize = sizeAmong(await attributesOf(header, bytes));
      header = await nextHeader(bytes);
    }
    if (!header) return;
    const size = longSize ?? header.size;
    yield { kind: kindOf(header, size), name: header.name, target: header.target };
    await bytes.skip(size + paddingOf(size));
  }
}

/** Returns undefined at the end of the archive. */
async function nextHeader(bytes: Bytes): Promise<ArchiveHeader | undefined> {
  const block = await bytes.take(BLOCK_BYTES);
  return block.every((byte) => byte === 0) ? undefined : headerIn(block);
}

async function attributesOf({ size }: ArchiveHeader, bytes: Bytes): Promise<Buffer> {
  if (size > ATTRIBUTES_BYTES_MAX) throw new ImageProblem("the attributes of an entry are too long");
  const attributes = await bytes.take(size);
  await bytes.skip(paddingOf(size));
  return attributes;
}

/** Returns how many bytes fill the last block of a content. */
function paddingOf(size: number): number {
  return -size & (BLOCK_BYTES - 1);
}

/** Returns the kind of an entry. Some readers take a file for a folder without content if its name ends in a slash. */
function kindOf({ type, name }: ArchiveHeader, size: number): ArchiveEntry["kind"] {
  const kind = KINDS[type];
  if (!kind)
    throw new ImageProblem(
      `it has an entry of type "${printable(type, 1)}", which no archive of images needs`,
    );
  const shown = printable(name, 200);
  if (kind !== "file" && size > 0) throw new ImageProblem(`its entry ${shown} is a ${kind} with content`);
  if (kind !== "folder" && name.endsWith("/"))
    throw new ImageProblem(`its entry ${shown} is named like a folder, but is a ${kind}`);
  return kind;
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

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#chunks.next();
    if (done) throw new ImageProblem("it ends too early");
    return value;
  }
}
