/**
 * All pieces of one length that some texts hold, to be looked up in other texts: one look at each place, whatever the texts
 * are and however often they repeat themselves. A hash rolls along a text, a table of places in the known ones says whether
 * a piece is the same.
 */
export class PieceTable {
  readonly pieceBytes: number;
  readonly #known: Buffer;
  /** One more than where a piece begins in the known texts; zero is a free slot. */
  readonly #slots: Int32Array;
  /** Hashes of pieces that found no slot near their own: whatever has one of these counts as known. */
  readonly #crowded = new Set<number>();

  /** No text is shorter than a piece. */
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

  /** Tells where in the text a known piece begins, from the first one on. */
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

  /** The slot that holds the piece, or is free for it; -1 when there is neither among those that are looked at. */
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

/** More than a table that is half empty needs, unless somebody has chosen the texts for it. */
const PROBES_MAX = 64;
const BASE = 0x0100_0193;

/** From there on to the end of the text. */
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

/** The lowest bits of the hash hang on the lowest bits of the text alone. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x45d9_f3b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
