interface Timer {
  readonly atMs: number;
  /** Orders timers for the same moment: the earlier set timer fires first. */
  readonly order: number;
  readonly callback: () => void;
  isOff: boolean;
}

/**
 * The time of a simulated world. It moves only when all work is done and everything waits: then it jumps to the next
 * timer. All work in such a world runs in microtasks (the database answers immediately, engines and files are in
 * memory). Node reaches an immediate only when no microtask is left, so one immediate is enough to know.
 */
export class Timeline {
  #nowMs = 0;
  #order = 0;
  readonly #heap: Timer[] = [];

  get nowMs(): number {
    return this.#nowMs;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), order: (this.#order += 1), callback, isOff: false };
    this.#push(timer);
    return () => void (timer.isOff = true);
  }

  /** Waits for `ms`; zero does not wait. */
  async sleep(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => void this.after(ms, resolve));
  }

  /** Fires the next timer and runs all its immediate consequences. Returns false without a timer. */
  async step(): Promise<boolean> {
    const timer = this.#pop();
    if (!timer) return false;
    if (timer.isOff) return true;
    this.#nowMs = timer.atMs;
    timer.callback();
    await idle();
    return true;
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): Timer | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** Resolves when every microtask has run, including microtasks queued later. */
export function idle(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
