import { createHash } from "node:crypto";
import type { Random } from "#plumbing/ids";

/** Reproducible randomness: equal seeds and names give equal numbers on any machine. */
export class Dice {
  readonly #state: Int32Array;

  constructor(seed: number, name: string) {
    const hash = createHash("sha256").update(`${seed}/${name}`).digest();
    this.#state = Int32Array.from([0, 4, 8, 12], (at) => hash.readInt32LE(at));
  }

  /** Returns a number from 0 up to but not including 1, like `Math.random` (sfc32). */
  unit(): number {
    const s = this.#state;
    const sum = (s[0]! + s[1]! + s[3]!) | 0;
    s[3] = (s[3]! + 1) | 0;
    s[0] = s[1]! ^ (s[1]! >>> 9);
    s[1] = (s[2]! + (s[2]! << 3)) | 0;
    s[2] = ((s[2]! << 21) | (s[2]! >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return probability > 0 && this.unit() < probability;
  }

  /** Returns a whole number between both ends, inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.unit() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)]!;
  }

  /** Returns a number whose order of magnitude is uniformly distributed: around 10, 100 or 1000 with equal chance. */
  magnitude(least: number, most: number): number {
    return Math.round(least * (most / least) ** this.unit());
  }
}

/** Makes the product's source of ids from the dice. */
export function randomFrom(dice: Dice): Random {
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => dice.between(0, 255)));
  return {
    bytes,
    uuid() {
      const hex = bytes(16).toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}
