/**
 * Digests of a few chunks of a content. Chunks end where the content itself says so (FastCDC: Xia and others, 2016), so
 * that an inserted line changes one chunk and moves none of the others. Of all chunks, the ones with the smallest digests
 * are kept (bottom-k: Broder, 1997): two contents share about the same part of their sketches as of their chunks.
 */
export const SKETCH_MAX = 16;
/** Chunks behind this place do not count, so that a large file costs no more than about half a second. */
const SKETCHED_BYTES_MAX = 64 << 20;

const CHUNK_MIN_BYTES = 64;
const CHUNK_MAX_BYTES = 4096;
/** A chunk ends after 256 bytes on average, beyond the minimum. */
const CUT_BITS = 8;

/** Multipliers of the two halves of a digest (FNV-1a, MurmurHash3). */
const [LOW_PRIME, HIGH_PRIME] = [0x0100_0193, 0x85eb_ca6b];
const DIGITS = 14;

/** Collects the sketch of a content from its pieces, in order. */
export class ContentSketch {
  readonly #kept: number[] = [];
  #left = SKETCHED_BYTES_MAX;
  #bytes = 0;
  #fingerprint = 0;
  #low = 0;
  #high = 0;

  update(piece: Uint8Array): void {
    const part = piece.length > this.#left ? piece.subarray(0, this.#left) : piece;
    this.#left -= part.length;
    let [bytes, fingerprint, low, high] = [this.#bytes, this.#fingerprint, this.#low, this.#high];
    for (const byte of part) {
      bytes += 1;
      fingerprint = ((fingerprint << 1) + GEAR[byte]!) | 0;
      low = Math.imul(low ^ byte, LOW_PRIME);
      high = Math.imul(high ^ byte, HIGH_PRIME);
      const isEnd = bytes >= CHUNK_MIN_BYTES && fingerprint >>> (32 - CUT_BITS) === 0;
      if (!isEnd && bytes < CHUNK_MAX_BYTES) continue;
      this.#keep(low, high);
      [bytes, fingerprint, low, high] = [0, 0, 0, 0];
    }
    [this.#bytes, this.#fingerprint, this.#low, this.#high] = [bytes, fingerprint, low, high];
  }

  /** Returns the digests in ascending order. */
  digests(): string[] {
    if (this.#bytes > 0) this.#keep(this.#low, this.#high);
    [this.#bytes, this.#fingerprint, this.#low, this.#high] = [0, 0, 0, 0];
    return this.#kept.map((digest) => digest.toString(16).padStart(DIGITS, "0"));
  }

  #keep(low: number, high: number): void {
    const digest = (mixed(high) >>> 11) * 2 ** 32 + mixed(low);
    const at = this.#kept.findIndex((known) => known >= digest);
    if (this.#kept[at] === digest) return;
    if (at >= 0) this.#kept.splice(at, 0, digest);
    else if (this.#kept.length < SKETCH_MAX) this.#kept.push(digest);
    if (this.#kept.length > SKETCH_MAX) this.#kept.pop();
  }
}

/** Returns the part of the chunks of both contents that they share, estimated from their sketches: from 0 to 1. */
export function likenessOf(one: readonly string[], other: readonly string[]): number {
  const all = [...new Set([...one, ...other])].toSorted().slice(0, SKETCH_MAX);
  const [inOne, inOther] = [new Set(one), new Set(other)];
  const shared = all.filter((digest) => inOne.has(digest) && inOther.has(digest));
  return all.length === 0 ? 0 : shared.length / all.length;
}

/** Spreads the bits of a half over the whole (the finalizer of MurmurHash3). */
function mixed(half: number): number {
  let value = half;
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2_ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** A random number for each byte, the same in every process (xorshift32). */
const GEAR = Int32Array.from({ length: 256 }, gearNumber());

function gearNumber(): () => number {
  let state = 0x9e37_79b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  };
}
