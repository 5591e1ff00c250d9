import { PieceTable } from "#plumbing/secrets/piece-table";

/**
 * Minimum length of a masked secret. A shorter secret would match everywhere, and its stars would reveal it.
 */
const MASKED_FROM_BYTES = 4;
/**
 * In a longer secret, every piece of this many bytes is masked on its own, which bounds the time for any text
 * and any secret.
 */
const PIECE_BYTES = 32;
const STAR = "*".charCodeAt(0);

export interface Mask {
  /**
   * Number of bytes before and after a part of a text that must be known to mask the part. 0 if nothing is
   * masked.
   */
  readonly reach: number;
  /**
   * Replaces secrets by stars, byte for byte, so that everything else stays where it is. With `isEnd` the text may
   * continue later: the start of a secret at its end is masked as well.
   */
  apply(bytes: Buffer, isEnd: boolean): Buffer;
}

export function createMask(secrets: readonly Buffer[]): Mask {
  const known = secrets.filter(({ length }) => length >= MASKED_FROM_BYTES);
  const byLength = Map.groupBy(known, ({ length }) => Math.min(length, PIECE_BYTES));
  const tables = [...byLength].map(([bytes, group]) => new PieceTable(group, bytes));
  const beginnings = known.map((secret) => secret.toString("latin1", 0, PIECE_BYTES)).toSorted();
  return {
    reach: Math.max(0, ...tables.map(({ pieceBytes }) => pieceBytes - 1)),
    apply(bytes, isEnd) {
      let masked: Buffer | undefined;
      for (const table of tables) {
        let hiddenTo = 0;
        table.find(bytes, (at) => {
          masked ??= Buffer.from(bytes);
          const from = Math.max(at, hiddenTo);
          hiddenTo = at + table.pieceBytes;
          for (let index = from; index < hiddenTo; index += 1) masked[index] = STAR;
        });
      }
      const begun = isEnd ? beginningAtEnd(bytes, beginnings) : 0;
      if (begun > 0) (masked ??= Buffer.from(bytes)).fill(STAR, bytes.length - begun);
      return masked ?? bytes;
    },
  };
}

/** Returns the number of bytes at the end of a text that are the start of a secret. */
function beginningAtEnd(bytes: Buffer, beginnings: readonly string[]): number {
  for (let size = Math.min(PIECE_BYTES - 1, bytes.length); size >= MASKED_FROM_BYTES; size -= 1) {
    const end = bytes.toString("latin1", bytes.length - size);
    if (firstFrom(beginnings, end)?.startsWith(end)) return size;
  }
  return 0;
}

/** Finds the first text that is not below `wanted`, by binary search. */
function firstFrom(sorted: readonly string[], wanted: string): string | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}
