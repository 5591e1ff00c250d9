import { PieceTable } from "#plumbing/piece-table";

/** A shorter secret would be found everywhere, and its stars would give it away. */
const MASKED_FROM_BYTES = 4;
/** Of a longer secret each piece of so many bytes is masked, wherever it stands: then no text and no secret takes long. */
const PIECE_BYTES = 32;
const STAR = "*".charCodeAt(0);

export interface Mask {
  /** What stands so many bytes before and behind a part of a text must be known to mask that part. 0: nothing is masked. */
  readonly reach: number;
  /**
   * Stars in the place of secrets, as many as they have bytes, so that everything else stays where it is. With `isEnd` the
   * text may go on later: the beginning of a secret at its end is masked as well.
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

/** With how many bytes a secret begins at the end of a text. */
function beginningAtEnd(bytes: Buffer, beginnings: readonly string[]): number {
  for (let size = Math.min(PIECE_BYTES - 1, bytes.length); size >= MASKED_FROM_BYTES; size -= 1) {
    const end = bytes.toString("latin1", bytes.length - size);
    if (firstFrom(beginnings, end)?.startsWith(end)) return size;
  }
  return 0;
}

/** Of texts in order. */
function firstFrom(sorted: readonly string[], wanted: string): string | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}
