/** Compares gzip files (RFC 1952) without the header, which holds a time, a file name and a comment. */
export function isSameAfterGzipHeader(a: Buffer, b: Buffer): boolean {
  const [one, other] = [headerBytes(a), headerBytes(b)];
  if (one === undefined || other === undefined) return false;
  return a.subarray(one).equals(b.subarray(other));
}

const FIXED_BYTES = 10;
const DEFLATE = 8;
const FLAG = { headerCheck: 2, extra: 4, name: 8, comment: 16 };

/** Returns the length of the header. Undefined if the file is not gzip. */
function headerBytes(file: Buffer): number | undefined {
  if (file.length < FIXED_BYTES || file.readUInt16BE(0) !== 0x1f8b || file[2] !== DEFLATE) return undefined;
  const flags = file[3]!;
  let at = FIXED_BYTES;
  if (flags & FLAG.extra) {
    if (at + 2 > file.length) return undefined;
    at += 2 + file.readUInt16LE(at);
  }
  for (const flag of [FLAG.name, FLAG.comment]) {
    if (!(flags & flag)) continue;
    const end = file.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if (flags & FLAG.headerCheck) at += 2;
  return at <= file.length ? at : undefined;
}
