import type { Clock } from "#plumbing/clock";

/** A workspace whose size is requested. */
export interface SizeWanted {
  readonly id: string;
  /**
   * Version of the files with respect to jobs and notebooks: a kept size is valid while the version is
   * unchanged. Undefined while a job or notebook may be changing the workspace; the files are counted each
   * time.
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
  /** The result, once the count has ended. */
  size?: CountedSize;
}

/** Time after which a size is counted again, because an administrator may change files by hand. */
const KEPT_MS = 5 * 60_000;
/** The time if other servers store files as well. */
const KEPT_WITH_OTHERS_MS = 10_000;
/** Each kept size takes about 200 bytes of memory. */
const KEPT_MAX = 100_000;

/**
 * Remembers the sizes of workspaces that do not change, because counting the files of 10,000 workspaces takes a second,
 * and clients request a user's total with every `ping`.
 */
export class KeptSizes {
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock, { areShared = false }: { readonly areShared?: boolean | undefined } = {}) {
    this.#clock = clock;
    this.#keptMs = areShared ? KEPT_WITH_OTHERS_MS : KEPT_MS;
  }

  /** Wraps every change that the server makes to a workspace. A count that overlaps with a change is not kept. */
  async changing<Result>(id: string, change: () => Promise<Result>): Promise<Result> {
    this.#kept.delete(id);
    try {
      return await change();
    } finally {
      this.#kept.delete(id);
    }
  }

  /** Returns undefined if the workspace has more than `maxEntries` entries, as `count` does. */
  async maybeOf(
    { id, state }: SizeWanted,
    maxEntries: number,
    count: (maxEntries: number) => Promise<CountedSize | undefined>,
  ): Promise<CountedSize | undefined> {
    if (state === undefined) return count(maxEntries);
    const now = this.#clock.now();
    const before = this.#kept.get(id);
    if (before?.size && before.state === state && Math.abs(now - before.countedAtMs) < this.#keptMs) {
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
