import { crc32, createInflateRaw, type Gunzip, type InflateRaw } from "node:zlib";
import { Refusal } from "#plumbing/errors";

/** An open file that is read at any place. A `FileHandle` of Node is one. */
export interface PackedFile {
  stat(): Promise<{ readonly size: number }>;
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

/**
 * An entry of a zip from outside. Nothing in the zip is trusted: every size is bounded before anything is read, and the
 * content is counted and compared with the header. Not supported: zip64, encryption, split archives (APPNOTE 6.3.3).
 */
export interface ZipEntry {
  /** The name as written in the zip. */
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  /** The size declared by the zip. */
  readonly bytes: number;
  readonly packedBytes: number;
  /** Throws a refusal if the content is longer than declared, or different. */
  content(): AsyncGenerator<Buffer>;
}

interface ZipLimits {
  readonly maxEntries: number;
}

const END_BYTES = 22;
const COMMENT_MAX = 0xffff;
const END_SIGNATURE = 0x0605_4b50;
const CENTRAL_SIGNATURE = 0x0201_4b50;
const CENTRAL_BYTES = 46;
export const LOCAL_SIGNATURE = 0x0403_4b50;
const LOCAL_BYTES = 30;
/** Limit for one entry's name and extra fields in the central directory. */
const ENTRY_BYTES_MAX = 16_384;
const ENCRYPTED = 0x0001;
const [STORED, DEFLATED] = [0, 8];
const CHUNK_BYTES = 64 * 1024;

export async function readZip(file: PackedFile, { maxEntries }: ZipLimits): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const end = await readEnd(file, size);
  if (end.count > maxEntries) throw malformed(`it has more than ${maxEntries} entries`);
  if (end.directoryBytes > end.count * ENTRY_BYTES_MAX || end.offset + end.directoryBytes > size) {
    throw malformed("its directory does not fit in it");
  }
  const directory = await readExactly(file, end.offset, end.directoryBytes);
  const entries = entriesIn(file, directory, end.count);
  // A thousand entries that share the bytes of one file would cause a thousand reads for little content.
  if (entries.reduce((sum, { packedBytes }) => sum + packedBytes, 0) > size)
    throw malformed("its entries overlap");
  return entries;
}

async function readEnd(file: PackedFile, size: number) {
  const length = Math.min(size, END_BYTES + COMMENT_MAX);
  const tail = await readExactly(file, size - length, length);
  for (let at = length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    if (at + END_BYTES + tail.readUInt16LE(at + 20) !== length) continue;
    return {
      count: tail.readUInt16LE(at + 10),
      directoryBytes: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
  }
  throw malformed("it has no end of a zip");
}

function entriesIn(file: PackedFile, directory: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const isThere =
      at + CENTRAL_BYTES <= directory.length && directory.readUInt32LE(at) === CENTRAL_SIGNATURE;
    if (!isThere) throw malformed("its directory is broken");
    const nameBytes = directory.readUInt16LE(at + 28);
    const next =
      at + CENTRAL_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    if (next > directory.length) throw malformed("its directory is broken");
    entries.push(entryOf(file, directory.subarray(at, at + CENTRAL_BYTES + nameBytes)));
    at = next;
  }
  return entries;
}

function entryOf(file: PackedFile, record: Buffer): ZipEntry {
  const name = nameOf(record.subarray(CENTRAL_BYTES));
  const flags = record.readUInt16LE(8);
  const method = record.readUInt16LE(10);
  if ((flags & ENCRYPTED) !== 0) throw malformed(`${shown(name)} is encrypted`);
  if (method !== STORED && method !== DEFLATED) throw malformed(`${shown(name)} is packed in an unknown way`);
  const packed = {
    name,
    method,
    crc: record.readUInt32LE(16),
    packedBytes: record.readUInt32LE(20),
    bytes: record.readUInt32LE(24),
    offset: record.readUInt32LE(42),
  };
  const { bytes, packedBytes } = packed;
  return { name, kind: kindOf(name, record), bytes, packedBytes, content: () => contentOf(file, packed) };
}

function nameOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw malformed("a name in it is not UTF-8", error);
  }
}

/** Returns the kind that the entry had when it was packed, if the zip was made on a Unix system. */
function kindOf(name: string, record: Buffer): ZipEntry["kind"] {
  const isUnix = record.readUInt8(5) === 3;
  const type = isUnix ? record.readUInt16LE(40) & 0o170_000 : 0;
  if (type === 0o120_000) return "link";
  if (type === 0o040_000 || name.endsWith("/")) return "folder";
  return type === 0 || type === 0o100_000 ? "file" : "other";
}

interface Packed {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

async function* contentOf(file: PackedFile, packed: Packed): AsyncGenerator<Buffer> {
  const local = await readExactly(file, packed.offset, LOCAL_BYTES);
  if (local.readUInt32LE(0) !== LOCAL_SIGNATURE)
    throw malformed(`${shown(packed.name)} is not where it should be`);
  const begin = packed.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  const raw = chunksOf(file, begin, packed.packedBytes);
  const damaged = (cause: unknown) => malformed(`${shown(packed.name)} is damaged`, cause);
  let [bytes, crc] = [0, 0];
  for await (const chunk of packed.method === DEFLATED ? inflated(raw, createInflateRaw(), damaged) : raw) {
    bytes += chunk.length;
    if (bytes > packed.bytes) throw malformed(`${shown(packed.name)} is larger than it says`);
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (bytes !== packed.bytes || crc !== packed.crc) throw malformed(`${shown(packed.name)} is damaged`);
}

/** Yields a range of a file. Throws a refusal if the file ends before. */
export async function* chunksOf(file: PackedFile, begin: number, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    yield await readExactly(file, begin + at, Math.min(CHUNK_BYTES, bytes - at));
  }
}

/** Yields the unpacked content. Throws the error that `damaged` returns if the packed bytes are damaged. */
export async function* inflated(
  raw: AsyncIterable<Buffer>,
  inflate: InflateRaw | Gunzip,
  damaged: (cause: unknown) => Refusal,
): AsyncGenerator<Buffer> {
  const feeding = feed(raw, inflate);
  feeding.catch((error: Error) => inflate.destroy(error));
  try {
    for await (const chunk of inflate) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw damaged(error);
  } finally {
    inflate.destroy();
  }
}

async function feed(raw: AsyncIterable<Buffer>, inflate: InflateRaw | Gunzip): Promise<void> {
  for await (const chunk of raw) {
    if (inflate.destroyed) return;
    if (!inflate.write(chunk))
      await new Promise((resolve) => inflate.once("drain", resolve).once("close", resolve));
  }
  inflate.end();
}

async function readExactly(file: PackedFile, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, at);
  if (bytesRead < bytes) throw malformed("it ends too early");
  return buffer;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function malformed(why: string, cause?: unknown): Refusal {
  return new Refusal("malformed", `This is not a zip that can be read: ${why}.`, { cause });
}
