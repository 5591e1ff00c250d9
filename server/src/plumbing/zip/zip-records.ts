/**
 * The records of a zip, byte by byte (APPNOTE 6.3.3: 4.3.7 local header, 4.3.9 descriptor, 4.3.12 central directory,
 * 4.3.14 to 4.3.16 its end). Entries are deflated, named in UTF-8, and followed by their sizes.
 */
export interface ZipRecord {
  readonly name: Buffer;
  readonly modifiedAtMs: number;
  readonly mode: number;
  /** True if sizes take 64 bits. */
  readonly isWide: boolean;
  /** Position of the local header. */
  readonly offset: number;
  crc: number;
  compressed: number;
  uncompressed: number;
}

const VERSION_PLAIN = 20;
const VERSION_WIDE = 45;
const MADE_ON_UNIX = (3 << 8) | VERSION_WIDE;
/** Bit 3: sizes follow the data; bit 11: the name is UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const MAX_16 = 0xffff;
const MAX_32 = 0xffff_ffff;
const REGULAR_FILE = 0o100_000;

export function localHeader(record: ZipRecord): Buffer {
  const { name, isWide } = record;
  const size = isWide ? MAX_32 : 0;
  const extra = Buffer.concat([timeExtra(record), isWide ? wideExtra([0, 0]) : Buffer.alloc(0)]);
  const fixed = fields([
    [4, 0x0403_4b50],
    ...common(record),
    [4, 0],
    [4, size],
    [4, size],
    [2, name.length],
    [2, extra.length],
  ]);
  return Buffer.concat([fixed, name, extra]);
}

export function dataDescriptor({ crc, compressed, uncompressed, isWide }: ZipRecord): Buffer {
  const width = isWide ? 8 : 4;
  return fields([
    [4, 0x0807_4b50],
    [4, crc],
    [width, compressed],
    [width, uncompressed],
  ]);
}

export function centralRecord(record: ZipRecord): Buffer {
  const { name, mode, isWide, offset, crc, compressed, uncompressed } = record;
  const isFar = isWide || offset >= MAX_32;
  const wide = isFar ? wideExtra([uncompressed, compressed, offset]) : Buffer.alloc(0);
  const extra = Buffer.concat([timeExtra(record), wide]);
  const fixed = fields([
    [4, 0x0201_4b50],
    [2, MADE_ON_UNIX],
    ...common({ ...record, isWide: isFar }),
    [4, crc],
    [4, isFar ? MAX_32 : compressed],
    [4, isFar ? MAX_32 : uncompressed],
    [2, name.length],
    [2, extra.length],
    [2, 0], // comment
    [2, 0], // disk
    [2, 0], // internal attributes
    [4, (REGULAR_FILE | (mode & 0o777)) * 0x1_0000],
    [4, isFar ? MAX_32 : offset],
  ]);
  return Buffer.concat([fixed, name, extra]);
}

/** Returns the end of the directory, which starts at `offset`. */
export function directoryEnd(end: { entries: number; directoryBytes: number; offset: number }): Buffer {
  const { entries, directoryBytes, offset } = end;
  const plain = fields([
    [4, 0x0605_4b50],
    [2, 0],
    [2, 0],
    [2, Math.min(entries, MAX_16)],
    [2, Math.min(entries, MAX_16)],
    [4, Math.min(directoryBytes, MAX_32)],
    [4, Math.min(offset, MAX_32)],
    [2, 0],
  ]);
  if (entries < MAX_16 && directoryBytes < MAX_32 && offset < MAX_32) return plain;
  const wide = fields([
    [4, 0x0606_4b50],
    [8, 44], // the length of what follows
    [2, MADE_ON_UNIX],
    [2, VERSION_WIDE],
    [4, 0],
    [4, 0],
    [8, entries],
    [8, entries],
    [8, directoryBytes],
    [8, offset],
  ]);
  const locator = fields([
    [4, 0x0706_4b50],
    [4, 0],
    [8, offset + directoryBytes],
    [4, 1],
  ]);
  return Buffer.concat([wide, locator, plain]);
}

type Field = readonly [bytes: 2 | 4 | 8, value: number];

/** Returns the fields that the local header and the central record share. */
function common({ isWide, modifiedAtMs }: Pick<ZipRecord, "isWide" | "modifiedAtMs">): Field[] {
  const { time, date } = dosTime(modifiedAtMs);
  return [
    [2, isWide ? VERSION_WIDE : VERSION_PLAIN],
    [2, FLAGS],
    [2, DEFLATED],
    [2, time],
    [2, date],
  ];
}

function fields(list: readonly Field[]): Buffer {
  const buffer = Buffer.alloc(list.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of list) {
    if (bytes === 2) buffer.writeUInt16LE(value, at);
    else if (bytes === 4) buffer.writeUInt32LE(value, at);
    else buffer.writeBigUInt64LE(BigInt(value), at);
    at += bytes;
  }
  return buffer;
}

function wideExtra(sizes: readonly number[]): Buffer {
  const values = sizes.map((size) => [8, size] as const);
  return fields([[2, 0x0001], [2, sizes.length * 8], ...values]);
}

/**
 * Stores the modification time in seconds since 1970, UTC, if 32 bits can hold it. Otherwise only the DOS time has it.
 */
function timeExtra({ modifiedAtMs }: ZipRecord): Buffer {
  const seconds = Math.floor(modifiedAtMs / 1000);
  if (seconds < 0 || seconds > 0x7fff_ffff) return Buffer.alloc(0);
  const extra = Buffer.alloc(9);
  extra.writeUInt16LE(0x5455, 0);
  extra.writeUInt16LE(5, 2);
  extra.writeUInt8(1, 4); // the modification time follows
  extra.writeInt32LE(seconds, 5);
  return extra;
}

const DOS_FIRST_MS = Date.UTC(1980, 0, 1);
const DOS_LAST_MS = Date.UTC(2107, 11, 31, 23, 59, 58);

/**
 * Converts to DOS time: from 1980 to 2107, in steps of two seconds. In UTC, because the reader's time zone is unknown.
 */
function dosTime(epochMs: number): { time: number; date: number } {
  const at = new Date(Math.min(Math.max(epochMs, DOS_FIRST_MS), DOS_LAST_MS));
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return { time, date };
}
