/** Counts how often each thing happened: what never happens is not tested. */
export class Coverage {
  readonly counts = new Map<string, number>();

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  add(other: Iterable<readonly [string, number]>): void {
    for (const [what, times] of other) this.count(what, times);
  }
}
