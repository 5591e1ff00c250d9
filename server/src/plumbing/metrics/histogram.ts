import type { Sample } from "#plumbing/metrics/exposition";

/** Counts values in buckets. Adding a value takes some nanoseconds and allocates nothing. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** Counts per bound, and a last count for values above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** `bounds` are the largest values of the buckets, in ascending order. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > this.#bounds[at]!) at += 1;
    this.#counts[at]! += 1;
    this.#sum += value;
  }

  samples(labels: Readonly<Record<string, string>>): readonly Sample[] {
    let total = 0;
    const buckets = Array.from(this.#counts, (count, at) => {
      total += count;
      const le = at < this.#bounds.length ? String(this.#bounds[at]) : "+Inf";
      return { suffix: "_bucket", labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value: total },
    ];
  }
}
