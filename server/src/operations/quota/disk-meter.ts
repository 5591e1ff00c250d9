import { maybeBytesOfOwner, type OwnerFiles } from "#operations/quota/disk-of-owner";
import type { Clock } from "#plumbing/clock";

/**
 * Measures the disk space of users who have a limit, cheaply: their files are counted only after a pause of
 * `PAUSE_PER_COUNT` times the duration of the last count, and what was uploaded in between is added. The measure may be
 * too high, because an upload may have replaced a file. A refusal is therefore based on a new count.
 */
export interface DiskMeter {
  /** Returns the bytes in use, including arriving files. `isNew` forces a new count. */
  bytesOf(ownerId: string, options?: { readonly isNew?: boolean }): Promise<number>;
  /** Counts the files now, without files still arriving, because the quota may yet refuse arrivals. */
  bytesOfFiles(ownerId: string): Promise<number>;
  /** Counts bytes that are about to arrive, until `settle`. */
  expect(ownerId: string, bytes: number): void;
  /** Ends what `expect` has announced, whether the bytes arrived or not. */
  settle(ownerId: string, bytes: number, haveArrived: boolean): void;
}

interface Measure {
  readonly bytes: number;
  readonly countedAtMs: number;
  readonly tookMs: number;
  /** Bytes that have arrived since the count began. */
  arrived: number;
}

const PAUSE_PER_COUNT = 20;
const PAUSE_MIN_MS = 1000;

type DiskMeterContext = OwnerFiles & { readonly clock: Pick<Clock, "elapsedMs"> };

export function createDiskMeter(context: DiskMeterContext): DiskMeter {
  return new Meter(context);
}

class Meter implements DiskMeter {
  readonly #context: DiskMeterContext;
  readonly #measures = new Map<string, Measure>();
  readonly #counts = new Map<string, Promise<Measure>>();
  readonly #expected = new Map<string, number>();

  constructor(context: DiskMeterContext) {
    this.#context = context;
  }

  async bytesOf(ownerId: string, { isNew = false } = {}): Promise<number> {
    const known = this.#measures.get(ownerId);
    const { bytes, arrived } =
      !isNew && known && this.#isFresh(known) ? known : await this.#countOnce(ownerId);
    return bytes + arrived + (this.#expected.get(ownerId) ?? 0);
  }

  async bytesOfFiles(ownerId: string): Promise<number> {
    return (await this.#countOnce(ownerId)).bytes;
  }

  expect(ownerId: string, bytes: number): void {
    this.#expected.set(ownerId, (this.#expected.get(ownerId) ?? 0) + bytes);
  }

  settle(ownerId: string, bytes: number, haveArrived: boolean): void {
    const left = (this.#expected.get(ownerId) ?? 0) - bytes;
    if (left > 0) this.#expected.set(ownerId, left);
    else this.#expected.delete(ownerId);
    const known = this.#measures.get(ownerId);
    if (known && haveArrived) known.arrived += bytes;
  }

  /** Requests during a count share the result. */
  #countOnce(ownerId: string): Promise<Measure> {
    const underWay = this.#counts.get(ownerId);
    if (underWay) return underWay;
    const next = this.#count(ownerId).finally(() => this.#counts.delete(ownerId));
    this.#counts.set(ownerId, next);
    return next;
  }

  async #count(ownerId: string): Promise<Measure> {
    const { clock } = this.#context;
    const beginMs = clock.elapsedMs();
    const arrivedBefore = this.#measures.get(ownerId)?.arrived ?? 0;
    const bytes = (await maybeBytesOfOwner(this.#context, ownerId, Infinity)) ?? 0;
    const endMs = clock.elapsedMs();
    // The count may miss files arriving during the count.
    const arrived = (this.#measures.get(ownerId)?.arrived ?? 0) - arrivedBefore;
    const measure = { bytes, countedAtMs: endMs, tookMs: endMs - beginMs, arrived };
    this.#measures.set(ownerId, measure);
    return measure;
  }

  #isFresh({ countedAtMs, tookMs }: Measure): boolean {
    return this.#context.clock.elapsedMs() - countedAtMs < Math.max(PAUSE_MIN_MS, PAUSE_PER_COUNT * tookMs);
  }
}
