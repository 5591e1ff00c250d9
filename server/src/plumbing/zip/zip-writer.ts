import { pipeline, type Readable } from "node:stream";
import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib";
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
  /** File permissions, such as `0o644`. */
  readonly mode: number;
  /** Upper bound of the content's size. It decides how sizes are written, which must be known before the first byte. */
  readonly bytes: number;
  /** Content stream. The writer reads it to the end or destroys it. */
  readonly content: Readable;
}

/** Leaves room within 32 bits for a file that deflating makes larger. */
const WIDE_FROM_BYTES = 0xf000_0000;
const OUTPUT_CHUNK_BYTES = 1 << 16;
const DIRECTORY_BLOCK_BYTES = 1 << 16;
/**
 * Limit for deflating in one call: for so little content, a stream takes five times as long, and the event
 * loop is barely blocked.
 */
const SMALL_BYTES = 1 << 14;
/** Size of zlib's chunks: the deflated content of a small file fits into one chunk, unless the content grew. */
const SMALL_CHUNK_BYTES = SMALL_BYTES;

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
  let offset = 0;
  for await (const entry of entries) {
    const record = recordOf(entry, offset);
    for await (const chunk of entryBytes(record, entry)) {
      offset += chunk.length;
      yield chunk;
    }
    directory.add(centralRecord(record));
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
async function* entryBytes(record: ZipRecord, { bytes, content }: ZipEntry): AsyncGenerator<Buffer> {
  yield localHeader(record);
  for await (const chunk of bytes <= SMALL_BYTES
    ? deflatedAtOnce(record, content)
    : deflated(record, content)) {
    record.compressed += chunk.length;
    yield chunk;
  }
  yield dataDescriptor(record);
}

async function* deflatedAtOnce(record: ZipRecord, content: Readable): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of measured(record, content)) chunks.push(chunk);
  yield deflateRawSync(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), {
    chunkSize: SMALL_CHUNK_BYTES,
  });
}

function deflated(record: ZipRecord, content: Readable): AsyncIterable<Buffer> {
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
