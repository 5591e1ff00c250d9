import type { Clock } from "#plumbing/clock";

/** A workspace whose size is asked for. */
export interface SizeWanted {
  readonly id: string;
  /**
   * Names what jobs may have changed: the kept size holds as long as it is the same. Absent while jobs may be changing the
   * workspace: then its files are looked at in any case.
   */
  readonly state: string | undefined;
}

export interface CountedSize {
  readonly bytes: number;
  readonly entries: number;
}

interface Kept {
  readonly state: string;
  readonly countedAtMs: number;
  /** Absent until the count has ended. */
  size?: CountedSize;
}

/** An administrator may change files by hand: after so long a size is counted again. */
const KEPT_MS = 5 * 60_000;
/** Each takes about 200 bytes of memory. */
const KEPT_MAX = 100_000;

/**
 * Remembers the sizes of workspaces that nothing changes, because looking at the files of 10,000 of them takes a second,
 * and clients ask for a user's total with every `ping`.
 */
export class KeptSizes {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Every change of a workspace by the server goes through here. A count that overlaps with it is not kept. */
  async changing<Result>(id: string, change: () => Promise<Result>): Promise<Result> {
    this.#kept.delete(id);
    try {
      return await change();
    } finally {
      this.#kept.delete(id);
    }
  }

  /** Returns nothing if the workspace holds more entries than that, as `count` does. */
  async maybeOf(
    { id, state }: SizeWanted,
    maxEntries: number,
    count: (maxEntries: number) => Promise<CountedSize | undefined>,
  ): Promise<CountedSize | undefined> {
    if (state === undefined) return count(maxEntries);
    const now = this.#clock.now();
    const before = this.#kept.get(id);
    if (before?.size && before.state === state && Math.abs(now - before.countedAtMs) < KEPT_MS) {
      return before.size.entries > maxEntries ? undefined : before.size;
    }
    const kept: Kept = { state, countedAtMs: now };
    this.#keep(id, kept);
    const size = await count(maxEntries);
    if (size) kept.size = size;
    return size;
  }

  #keep(id: string, kept: Kept): void {
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    if (this.#kept.size > KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value!);
  }
}
