import { pipeline } from "node:stream";
import { constants, crc32, createDeflateRaw, type DeflateRaw } from "node:zlib";
import {
  centralRecord,
  dataDescriptor,
  directoryEnd,
  localHeader,
  type ZipRecord,
} from "#plumbing/zip/zip-records";

/**
 * An entry of a zip that is written while it is read: entry after entry, deflated, with sizes and checksum behind each,
 * because they are unknown until the content was read, and nothing is read twice. Only the directory at the end stays
 * in memory, some hundred bytes per entry.
 */
export interface ZipEntry {
  /** Path with `/` between folders. */
  readonly name: string;
  readonly modifiedAtMs: number;
  /** File permissions (`0o644`). */
  readonly mode: number;
  /** Upper bound of the content's size. It decides how sizes are written, which must be known before the first byte. */
  readonly bytes: number;
  /** The writer reads the content to the end, or returns from the iteration early. */
  readonly content: AsyncIterable<Buffer>;
}

/** Leaves room within 32 bits for a file that deflating makes larger. */
const WIDE_FROM_BYTES = 0xf000_0000;
const OUTPUT_CHUNK_BYTES = 1 << 16;
const DIRECTORY_BLOCK_BYTES = 1 << 16;
/** Limit for a file that is deflated as a whole, by a stream that all small files share. */
const SMALL_BYTES = 1 << 14;
/** Masking secrets may make a content longer than its bound. With this mark, the stream never waits for a reader. */
const SMALL_DEFLATE = { chunkSize: OUTPUT_CHUNK_BYTES, highWaterMark: 1 << 24 };

export function zip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  return gathered(zipped(entries));
}

/**
 * Copies small chunks together. A small file is written in three, and each would be kept by the stream to the client and
 * outlive the collections of young memory.
 */
async function* gathered(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let block = Buffer.allocUnsafeSlow(OUTPUT_CHUNK_BYTES);
  let used = 0;
  for await (const chunk of chunks) {
    if (used > 0 && used + chunk.length > block.length) {
      yield block.subarray(0, used);
      [block, used] = [Buffer.allocUnsafeSlow(OUTPUT_CHUNK_BYTES), 0];
    }
    if (chunk.length < block.length) used += chunk.copy(block, used);
    else yield chunk;
  }
  if (used > 0) yield block.subarray(0, used);
}

async function* zipped(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const directory = newDirectory();
  const small = new SmallDeflater();
  let offset = 0;
  try {
    for await (const entry of entries) {
      const record = recordOf(entry, offset);
      for await (const chunk of entryBytes(record, entry, small)) {
        offset += chunk.length;
        yield chunk;
      }
      directory.add(centralRecord(record));
    }
  } finally {
    small.close();
  }
  yield* directory.blocks();
  yield directoryEnd({ entries: directory.entries(), directoryBytes: directory.bytes(), offset });
}

/**
 * Packs the records in blocks. A record on its own would keep the memory it was cut from, many times its
 * size.
 */
function newDirectory() {
  const packed: Buffer[] = [];
  let loose: Buffer[] = [];
  let looseBytes = 0;
  let bytes = 0;
  let entries = 0;
  const pack = () => {
    const block = Buffer.allocUnsafeSlow(looseBytes);
    loose.reduce((at, record) => at + record.copy(block, at), 0);
    packed.push(block);
    [loose, looseBytes] = [[], 0];
  };
  return {
    bytes: () => bytes,
    entries: () => entries,
    add(record: Buffer) {
      loose.push(record);
      looseBytes += record.length;
      bytes += record.length;
      entries += 1;
      if (looseBytes >= DIRECTORY_BLOCK_BYTES) pack();
    },
    blocks(): readonly Buffer[] {
      if (looseBytes > 0) pack();
      return packed;
    },
  };
}

function recordOf({ name, modifiedAtMs, mode, bytes }: ZipEntry, offset: number): ZipRecord {
  const isWide = bytes >= WIDE_FROM_BYTES;
  return { name: safeName(name), modifiedAtMs, mode, isWide, offset, crc: 0, compressed: 0, uncompressed: 0 };
}

/** Replaces backslashes: on Windows they separate folders, and `..\` would lead out of the target folder. */
function safeName(name: string): Buffer {
  return Buffer.from(name.replaceAll("\\", "_"));
}

/** Yields the bytes of an entry, and notes sizes and checksum in its record. */
async function* entryBytes(
  record: ZipRecord,
  { bytes, content }: ZipEntry,
  small: SmallDeflater,
): AsyncGenerator<Buffer> {
  yield* bytes <= SMALL_BYTES ? smallEntry(record, content, small) : largeEntry(record, content);
  yield dataDescriptor(record);
}

/** Reads the content before the first yield: if the zip is closed early, the content is closed as well. */
async function* smallEntry(
  record: ZipRecord,
  content: AsyncIterable<Buffer>,
  small: SmallDeflater,
): AsyncGenerator<Buffer> {
  const packed = await small.deflated(measured(record, content));
  record.compressed = packed.length;
  yield localHeader(record);
  yield packed;
}

async function* largeEntry(record: ZipRecord, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const packed = deflated(record, content);
  try {
    yield localHeader(record);
    for await (const chunk of packed) {
      record.compressed += chunk.length;
      yield chunk;
    }
  } finally {
    packed.destroy();
  }
}

/**
 * Deflates one small file after another by a single stream. V8 frees the wrapper of a native object only when it collects
 * old memory, with all that the wrapper refers to: a deflater for each file, also inside `deflateRawSync`, keeps 20 KB for
 * each until then.
 */
class SmallDeflater {
  readonly #deflate = createDeflateRaw(SMALL_DEFLATE);

  async deflated(content: AsyncIterable<Buffer>): Promise<Buffer> {
    const deflate = this.#deflate;
    for await (const chunk of content) deflate.write(chunk);
    await new Promise<void>((resolve, reject) => {
      deflate.once("error", reject);
      deflate.flush(constants.Z_FINISH, () => {
        deflate.off("error", reject);
        resolve();
      });
    });
    const packed = deflate.read() as Buffer;
    deflate.reset();
    return packed;
  }

  close(): void {
    this.#deflate.destroy();
  }
}

function deflated(record: ZipRecord, content: AsyncIterable<Buffer>): DeflateRaw {
  const deflate = createDeflateRaw({ chunkSize: OUTPUT_CHUNK_BYTES });
  // An error of the content destroys the deflate stream, and thus reaches its reader.
  pipeline(
    content,
    (source: AsyncIterable<Buffer>) => measured(record, source),
    deflate,
    () => undefined,
  );
  return deflate;
}

async function* measured(record: ZipRecord, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    record.crc = crc32(chunk, record.crc);
    record.uncompressed += chunk.length;
    yield chunk;
  }
}
