const MODULUS = 65_521;
/** The most bytes whose sums fit into 32 bits before they are reduced. */
const RUN = 3800;

/** The checksum that servers of XRootD keep for their files. */
export class Adler32 {
  #low = 1;
  #high = 0;

  add(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; start += RUN) {
      const end = Math.min(start + RUN, bytes.length);
      for (let index = start; index < end; index += 1) {
        this.#low += bytes[index]!;
        this.#high += this.#low;
      }
      this.#low %= MODULUS;
      this.#high %= MODULUS;
    }
  }

  get hex(): string {
    return ((this.#high * 65_536 + this.#low) >>> 0).toString(16).padStart(8, "0");
  }
}
