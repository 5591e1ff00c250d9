import { ImageProblem } from "#backends/containers/image-problem";

/** A tar header, reduced to the fields that checks need. */
export interface ArchiveHeader {
  readonly type: string;
  readonly name: string;
  /** The target of a link. */
  readonly target: string;
  readonly size: number;
}

export const NO_TAR = "it is not a tar archive, plain or packed with gzip or zstd";
const POSIX = "ustar\x0000";

/**
 * Reads a header. Refuses each form that tar readers understand differently: numbers with NULs before their
 * digits, binary numbers, and fields of other dialects, which a reader may take for a part of the name.
 */
export function headerIn(block: Buffer): ArchiveHeader {
  const sum = block.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (octalAt(block, 148, 8) !== sum) throw new ImageProblem(NO_TAR);
  const size = octalAt(block, 124, 12);
  if (size === undefined) throw new ImageProblem("the size of an entry is not in plain octal digits");
  const isPosix = block.toString("latin1", 257, 265) === POSIX;
  if (block.subarray(isPosix ? 500 : 345).some((byte) => byte !== 0))
    throw new ImageProblem("a header has more fields than archives of images need");
  const prefix = isPosix ? textAt(block, 345, 155) : "";
  return {
    type: block.toString("latin1", 156, 157),
    name: `${prefix}${prefix && "/"}${textAt(block, 0, 100)}`,
    target: textAt(block, 157, 100),
    size,
  };
}

function octalAt(block: Buffer, at: number, length: number): number | undefined {
  const field = block.toString("latin1", at, at + length);
  return /^ *[0-7]+[ \0]*$/.test(field) ? Number.parseInt(field, 8) : undefined;
}

function textAt(block: Buffer, at: number, length: number): string {
  return block.toString("utf8", at, at + length).split("\0", 1)[0]!;
}
