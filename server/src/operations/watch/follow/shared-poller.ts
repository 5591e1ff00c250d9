import type { Clock } from "#plumbing/clock";

/**
 * Polls keys for changes on behalf of all who wait. However many wait for one key, it is polled once for all. A key
 * without waiters is not polled.
 */
export class SharedPoller<Seen> {
  readonly #options: PollerOptions<Seen>;
  readonly #pollers = new Map<string, KeyPoller<Seen>>();

  constructor(options: PollerOptions<Seen>) {
    this.#options = options;
  }

  /** Joins the waiters for a key until `unsubscribe` is called. */
  subscribe(key: string): Subscription<Seen> {
    const polled = this.#pollers.get(key) ?? new KeyPoller(key, this.#options);
    this.#pollers.set(key, polled);
    polled.subscribers += 1;
    let hasEnded = false;
    return {
      next: () => polled.next(),
      after: (seen, signal) => polled.after(seen, signal),
      unsubscribe: () => {
        if (hasEnded) return;
        hasEnded = true;
        polled.subscribers -= 1;
        if (polled.subscribers > 0) return;
        polled.close();
        this.#pollers.delete(key);
      },
    };
  }

  /** A change was announced: poll this key now. */
  pollNow(key: string): void {
    this.#pollers.get(key)?.pollNow();
  }

  /** Every key may have changed: poll all now. */
  pollAllNow(): void {
    for (const polled of this.#pollers.values()) polled.pollNow();
  }
}

export interface PollerOptions<Seen> {
  readonly clock: Clock;
  /** Returns `before` itself if the state is unchanged. */
  readonly poll: (key: string, before: Seen | undefined) => Promise<Seen>;
  /** Time to the next poll if no change is announced. */
  readonly everyMs: number;
  /** Minimum time between two polls. */
  readonly restMs: number;
  readonly onError: (error: unknown) => void;
}

export interface Subscription<Seen> {
  /** Returns the result of a poll started after this call. */
  next(): Promise<Seen>;
  /** Returns the first value other than `seen`. Rejects if a poll fails or the signal aborts. */
  after(seen: Seen, signal: AbortSignal): Promise<Seen>;
  unsubscribe(): void;
}

/** Rest after a poll, as a multiple of its duration: polling takes at most a tenth of the time. */
const REST_FACTOR = 9;
/**
 * Number of waiters resolved in one turn. A key may have hundreds of waiters, and the event loop must serve
 * other work in between.
 */
const RESOLVED_AT_ONCE = 2;

interface Waiter<Seen> {
  readonly known: Seen | undefined;
  resolve(seen: Seen): void;
  reject(error: unknown): void;
}

/** Poller of one key. Lives as long as the key has subscribers. */
class KeyPoller<Seen> {
  subscribers = 0;
  readonly #key: string;
  readonly #options: PollerOptions<Seen>;
  readonly #waiting = new Set<Waiter<Seen>>();
  /** Waiters in need of a poll started after their arrival. */
  #late: Waiter<Seen>[] = [];
  #seen: Seen | undefined;
  #isPolling = false;
  #isAnnounced = false;
  #isClosed = false;
  /** Earliest time of the next poll. A waiter without a known value overrides the pause. */
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  #callOff: (() => void) | undefined;

  constructor(key: string, options: PollerOptions<Seen>) {
    this.#key = key;
    this.#options = options;
  }

  next(): Promise<Seen> {
    const { promise, resolve, reject } = Promise.withResolvers<Seen>();
    this.#late.push({ known: undefined, resolve, reject });
    this.#pollIn(0);
    return promise;
  }

  async after(known: Seen, signal: AbortSignal): Promise<Seen> {
    signal.throwIfAborted();
    if (this.#seen !== undefined && this.#seen !== known) return this.#seen;
    const { promise, resolve, reject } = Promise.withResolvers<Seen>();
    const waiter = { known, resolve, reject };
    const leave = () => reject(signal.reason);
    this.#waiting.add(waiter);
    signal.addEventListener("abort", leave);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#waiting.delete(waiter);
    }
  }

  pollNow(): void {
    this.#isAnnounced = true;
    this.#pollIn(this.#restsUntilMs - this.#options.clock.elapsedMs());
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
  }

  #pollIn(ms: number): void {
    if (this.#isPolling || this.#isClosed) return;
    this.#callOff?.();
    this.#callOff = this.#options.clock.after(Math.max(0, ms), () => void this.#poll());
  }

  async #poll(): Promise<void> {
    const { clock, poll, onError } = this.#options;
    const late = this.#late.splice(0);
    const beganAtMs = clock.elapsedMs();
    this.#isPolling = true;
    this.#isAnnounced = false;
    try {
      this.#seen = await poll(this.#key, this.#seen);
      this.#resolve(late, this.#seen);
    } catch (error) {
      onError(error);
      for (const waiter of [...late, ...this.#waiting]) waiter.reject(error);
    }
    this.#isPolling = false;
    this.#pollAgain(clock.elapsedMs() - beganAtMs);
  }

  #pollAgain(tookMs: number): void {
    const { clock, everyMs, restMs } = this.#options;
    const rest = Math.max(restMs, tookMs * REST_FACTOR);
    this.#restsUntilMs = clock.elapsedMs() + rest;
    if (this.#late.length > 0) this.#pollIn(0);
    else this.#pollIn(this.#isAnnounced ? rest : Math.max(rest, everyMs));
  }

  #resolve(late: readonly Waiter<Seen>[], seen: Seen): void {
    const ready = [...late, ...[...this.#waiting].filter(({ known }) => known !== seen)];
    const resolveSome = () => {
      for (const waiter of ready.splice(0, RESOLVED_AT_ONCE)) waiter.resolve(seen);
      if (ready.length > 0) setImmediate(resolveSome);
    };
    resolveSome();
  }
}
