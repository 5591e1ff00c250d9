/**
 * Compares two zip archives without the order of their entries (APPNOTE 6.3.3: 4.3.7, 4.3.12, 4.3.16). Everything else,
 * times included, must be equal byte by byte.
 */
export function hasSameEntries(a: Buffer, b: Buffer): boolean {
  if (a.length !== b.length) return false;
  const [one, other] = [maybeEntries(a), maybeEntries(b)];
  if (!one || !other || one.length !== other.length) return false;
  return one.every((entry, index) => entry.equals(other[index]!));
}

const END = { signature: 0x0605_4b50, bytes: 22, count: 10, start: 16, commentLength: 20 };
const CENTRAL = {
  signature: 0x0201_4b50,
  bytes: 46,
  compressed: 20,
  name: 28,
  extra: 30,
  comment: 32,
  offset: 42,
};
const LOCAL = { signature: 0x0403_4b50, bytes: 30, name: 26, extra: 28 };
const WIDE = 0xffff_ffff;

/** Returns each entry with its headers and its data, sorted. Undefined for an archive of any other form. */
function maybeEntries(file: Buffer): Buffer[] | undefined {
  try {
    const end = file.length - END.bytes;
    if (
      end < 0 ||
      file.readUInt32LE(end) !== END.signature ||
      file.readUInt16LE(end + END.commentLength) !== 0
    )
      return undefined;
    const entries: Buffer[] = [];
    let at = file.readUInt32LE(end + END.start);
    for (let left = file.readUInt16LE(end + END.count); left > 0; left -= 1) {
      const entry = maybeEntry(file, at);
      if (!entry) return undefined;
      entries.push(entry.content);
      at = entry.next;
    }
    return at === end ? entries.toSorted((one, other) => one.compare(other)) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function maybeEntry(file: Buffer, at: number): { content: Buffer; next: number } | undefined {
  if (file.readUInt32LE(at) !== CENTRAL.signature) return undefined;
  const variable = [CENTRAL.name, CENTRAL.extra, CENTRAL.comment].map((field) =>
    file.readUInt16LE(at + field),
  );
  const next = at + CENTRAL.bytes + variable.reduce((sum, bytes) => sum + bytes, 0);
  const compressed = file.readUInt32LE(at + CENTRAL.compressed);
  const offset = file.readUInt32LE(at + CENTRAL.offset);
  if (compressed === WIDE || offset === WIDE || file.readUInt32LE(offset) !== LOCAL.signature)
    return undefined;
  const names = file.readUInt16LE(offset + LOCAL.name) + file.readUInt16LE(offset + LOCAL.extra);
  const dataEnd = offset + LOCAL.bytes + names + compressed;
  if (dataEnd > file.length) return undefined;
  const central = Buffer.from(file.subarray(at, next));
  central.writeUInt32LE(0, CENTRAL.offset);
  return { content: Buffer.concat([central, file.subarray(offset, dataEnd)]), next };
}
