/**
 * All pieces of one length in a set of texts, for finding them in other texts. Each position costs one lookup, even if
 * the texts repeat themselves. A rolling hash runs along a text, and a table of positions in the known texts tells
 * whether a piece is the same.
 */
export class PieceTable {
  readonly pieceBytes: number;
  readonly #known: Buffer;
  /** The position of a piece in the known texts, plus one; zero is a free slot. */
  readonly #slots: Int32Array;
  /** Hashes of pieces for which all nearby slots were taken. Any piece with such a hash counts as known. */
  readonly #crowded = new Set<number>();

  /** Indexes all pieces of the texts. No text may be shorter than a piece. */
  constructor(texts: readonly Buffer[], pieceBytes: number) {
    this.pieceBytes = pieceBytes;
    this.#known = Buffer.concat(texts);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(this.#known.length * 2)));
    let at = 0;
    for (const { length } of texts) {
      eachPiece(this.#known.subarray(0, at + length), at, pieceBytes, (start, hash) =>
        this.#add(start, hash),
      );
      at += length;
    }
  }

  /** Calls `found` with each position at which a known piece starts, in ascending order. */
  find(text: Buffer, found: (at: number) => void): void {
    eachPiece(text, 0, this.pieceBytes, (at, hash) => {
      if (this.#isKnown(text, at, hash)) found(at);
    });
  }

  #add(start: number, hash: number): void {
    const slot = this.#slotOf(this.#known, start, hash);
    if (slot === -1) this.#crowded.add(hash);
    else this.#slots[slot] = start + 1;
  }

  #isKnown(text: Buffer, at: number, hash: number): boolean {
    const slot = this.#slotOf(text, at, hash);
    return slot === -1 ? this.#crowded.has(hash) : this.#slots[slot] !== 0;
  }

  /**
   * Returns the slot that holds the piece, or a free slot for the piece, or -1 if all slots within reach are
   * taken.
   */
  #slotOf(text: Buffer, at: number, hash: number): number {
    const last = this.#slots.length - 1;
    const first = spread(hash) & last;
    for (let probe = 0; probe < PROBES_MAX; probe += 1) {
      const slot = (first + probe) & last;
      const there = this.#slots[slot]!;
      if (there === 0 || this.#isSame(there - 1, text, at)) return slot;
    }
    return -1;
  }

  #isSame(start: number, text: Buffer, at: number): boolean {
    for (let index = 0; index < this.pieceBytes; index += 1) {
      if (this.#known[start + index] !== text[at + index]) return false;
    }
    return true;
  }
}

/** More than a half-empty table needs, unless the texts were chosen to collide. */
const PROBES_MAX = 64;
const BASE = 0x0100_0193;

/** Visits each piece from `from` to the end of the text. */
function eachPiece(
  text: Buffer,
  from: number,
  pieceBytes: number,
  visit: (at: number, hash: number) => void,
): void {
  let highest = 1;
  for (let index = 1; index < pieceBytes; index += 1) highest = Math.imul(highest, BASE);
  let hash = 0;
  for (let at = from; at < text.length; at += 1) {
    const start = at - pieceBytes;
    if (start >= from) hash = (hash - Math.imul(text[start]!, highest)) | 0;
    hash = (Math.imul(hash, BASE) + text[at]!) | 0;
    if (start + 1 >= from) visit(start + 1, hash);
  }
}

/** Mixes the bits, because the lowest bits of the hash depend only on the lowest bits of the text. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x45d9_f3b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
