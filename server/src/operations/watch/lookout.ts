import type { Clock } from "#plumbing/clock";

/**
 * Polls keys for changes on behalf of all who wait. However many wait for one key, it is polled once for all. A key
 * without waiters is not polled.
 */
export class Lookout<Seen> {
  readonly #options: LookoutOptions<Seen>;
  readonly #watched = new Map<string, Watched<Seen>>();

  constructor(options: LookoutOptions<Seen>) {
    this.#options = options;
  }

  /** Joins the waiters for a key until `leave` is called. */
  join(key: string): View<Seen> {
    const watched = this.#watched.get(key) ?? new Watched(key, this.#options);
    this.#watched.set(key, watched);
    watched.watchers += 1;
    let hasLeft = false;
    return {
      fresh: () => watched.fresh(),
      after: (seen, signal) => watched.after(seen, signal),
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        watched.watchers -= 1;
        if (watched.watchers > 0) return;
        watched.close();
        this.#watched.delete(key);
      },
    };
  }

  /** A change was announced: poll this key now. */
  hurry(key: string): void {
    this.#watched.get(key)?.hurry();
  }

  /** Every key may have changed: poll all now. */
  hurryAll(): void {
    for (const watched of this.#watched.values()) watched.hurry();
  }
}

export interface LookoutOptions<Seen> {
  readonly clock: Clock;
  /** Returns `before` itself if nothing has changed. */
  readonly look: (key: string, before: Seen | undefined) => Promise<Seen>;
  /** Time to the next poll if no change is announced. */
  readonly everyMs: number;
  /** Minimum time between two polls. */
  readonly restMs: number;
  readonly onTrouble: (error: unknown) => void;
}

export interface View<Seen> {
  /** Returns the result of a poll that starts after this call. */
  fresh(): Promise<Seen>;
  /** Returns a value other than `seen` as soon as there is one. Rejects if a poll fails or the signal aborts. */
  after(seen: Seen, signal: AbortSignal): Promise<Seen>;
  leave(): void;
}

/** Rest after a poll, as a multiple of its duration: polling takes at most a tenth of the time. */
const REST_FACTOR = 9;
/** Number of waiters resolved in one turn. Hundreds may wait for the same key, and other work is done in between. */
const TOLD_AT_ONCE = 2;

interface Waiter<Seen> {
  readonly known: Seen | undefined;
  resolve(seen: Seen): void;
  reject(error: unknown): void;
}

/** Poller of one key, as long as anyone waits for it. */
class Watched<Seen> {
  watchers = 0;
  readonly #key: string;
  readonly #options: LookoutOptions<Seen>;
  readonly #waiting = new Set<Waiter<Seen>>();
  /** Waiters that need a poll started after they came. */
  #late: Waiter<Seen>[] = [];
  #seen: Seen | undefined;
  #isLooking = false;
  #isHurried = false;
  #isClosed = false;
  /** Earliest time of the next poll, unless a waiter comes that has seen nothing. */
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  #callOff: (() => void) | undefined;

  constructor(key: string, options: LookoutOptions<Seen>) {
    this.#key = key;
    this.#options = options;
  }

  fresh(): Promise<Seen> {
    const { promise, resolve, reject } = Promise.withResolvers<Seen>();
    this.#late.push({ known: undefined, resolve, reject });
    this.#lookIn(0);
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

  hurry(): void {
    this.#isHurried = true;
    this.#lookIn(this.#restsUntilMs - this.#options.clock.elapsedMs());
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff?.();
  }

  #lookIn(ms: number): void {
    if (this.#isLooking || this.#isClosed) return;
    this.#callOff?.();
    this.#callOff = this.#options.clock.after(Math.max(0, ms), () => void this.#look());
  }

  async #look(): Promise<void> {
    const { clock, look, onTrouble } = this.#options;
    const late = this.#late.splice(0);
    const beganAtMs = clock.elapsedMs();
    this.#isLooking = true;
    this.#isHurried = false;
    try {
      this.#seen = await look(this.#key, this.#seen);
      this.#tell(late, this.#seen);
    } catch (error) {
      onTrouble(error);
      for (const waiter of [...late, ...this.#waiting]) waiter.reject(error);
    }
    this.#isLooking = false;
    this.#lookAgain(clock.elapsedMs() - beganAtMs);
  }

  #lookAgain(tookMs: number): void {
    const { clock, everyMs, restMs } = this.#options;
    const rest = Math.max(restMs, tookMs * REST_FACTOR);
    this.#restsUntilMs = clock.elapsedMs() + rest;
    if (this.#late.length > 0) this.#lookIn(0);
    else this.#lookIn(this.#isHurried ? rest : Math.max(rest, everyMs));
  }

  #tell(late: readonly Waiter<Seen>[], seen: Seen): void {
    const told = [...late, ...[...this.#waiting].filter(({ known }) => known !== seen)];
    const tellSome = () => {
      for (const waiter of told.splice(0, TOLD_AT_ONCE)) waiter.resolve(seen);
      if (told.length > 0) setImmediate(tellSome);
    };
    tellSome();
  }
}
