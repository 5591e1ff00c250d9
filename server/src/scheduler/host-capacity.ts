import type { Capacity, CapacityRequest } from "#runner/jobs/capacity";
import { addAmount, type Amount, amountOf, atMost, fits, isZero, NOTHING, shareOf } from "#scheduler/amount";
import type { Resources } from "#workflow/job/job";

interface Waiting {
  readonly request: ShareRequest;
  readonly onAcquired: () => void;
}

interface Owner {
  readonly id: string;
  readonly held: Amount;
  /** The number of the latest share granted to a job of this user. 0 before the first share. */
  lastTurn: number;
  /** Waiting jobs by id, in the order of their requests. */
  readonly waiting: Map<string, Waiting>;
}

interface Share {
  readonly owner: Owner;
  readonly amount: Amount;
}

/** A job's request for a share of this host. */
type ShareRequest = Omit<CapacityRequest, "usesHost">;

export interface HostCapacity extends Capacity {
  tryAcquire(request: ShareRequest): boolean;
  acquire(request: ShareRequest): void;
  enqueue(request: ShareRequest, onAcquired: () => void): void;
  /** Must be called when `mayStart` has changed. */
  grantSoon(): void;
  /**
   * Grants no share until the returned function is called: jobs of a run that is being resumed are running
   * already, with shares that are not counted yet.
   */
  hold(): () => void;
}

/**
 * Shares out a host's cores and memory. The user who holds the least is next; between equals, the user who
 * has gone without for longest (if only one job fits, all users are always equal); and among the jobs of one
 * user, the job that has waited longest. While the next job does not fit, no other job passes, so that a
 * large job gets its turn. A job that requests more than the capacity gets all of the capacity. While
 * `mayStart` returns false, no job gets a share.
 */
export function createHostCapacity(available: Resources, mayStart: () => boolean = () => true): HostCapacity {
  return new FairCapacity(amountOf(available), mayStart);
}

class FairCapacity implements HostCapacity {
  readonly #capacity: Amount;
  readonly #mayStart: () => boolean;
  readonly #owners = new Map<string, Owner>();
  /** Keyed by the job's id. */
  readonly #shares = new Map<string, Share>();
  readonly #inUse: Amount = { ...NOTHING };
  readonly #holds = new Set<symbol>();
  #turns = 0;
  #isGrantDue = false;

  constructor(capacity: Amount, mayStart: () => boolean) {
    this.#capacity = capacity;
    this.#mayStart = mayStart;
  }

  tryAcquire(request: ShareRequest): boolean {
    if (this.#shares.has(request.jobId)) return true;
    if (this.#next() || !this.#isFree(request)) return false;
    this.acquire(request);
    return true;
  }

  acquire({ jobId, ownerId, resources }: ShareRequest): void {
    if (this.#shares.has(jobId)) return;
    const owner = this.#owner(ownerId);
    const amount = atMost(amountOf(resources), this.#capacity);
    this.#shares.set(jobId, { owner, amount });
    addAmount(this.#inUse, amount, 1);
    addAmount(owner.held, amount, 1);
    owner.lastTurn = this.#turns += 1;
  }

  enqueue(request: ShareRequest, onAcquired: () => void): void {
    this.#owner(request.ownerId).waiting.set(request.jobId, { request, onAcquired });
    this.grantSoon();
  }

  release(jobId: string): void {
    const share = this.#shares.get(jobId);
    for (const owner of share ? [share.owner] : this.#owners.values()) owner.waiting.delete(jobId);
    if (share) this.#giveBack(jobId, share);
    this.#forgetIdle();
    this.grantSoon();
  }

  /** Grants later in this turn of the event loop: shares released together are granted together. */
  grantSoon(): void {
    if (this.#isGrantDue) return;
    this.#isGrantDue = true;
    queueMicrotask(() => this.#grant());
  }

  hold(): () => void {
    const hold = Symbol("hold");
    this.#holds.add(hold);
    return () => {
      if (this.#holds.delete(hold)) this.grantSoon();
    };
  }

  #grant(): void {
    this.#isGrantDue = false;
    for (let one = this.#next(); one && this.#isFree(one.request); one = this.#next()) {
      this.#owner(one.request.ownerId).waiting.delete(one.request.jobId);
      this.acquire(one.request);
      one.onAcquired();
    }
  }

  #giveBack(jobId: string, { owner, amount }: Share): void {
    this.#shares.delete(jobId);
    addAmount(this.#inUse, amount, -1);
    addAmount(owner.held, amount, -1);
  }

  #owner(id: string): Owner {
    const known = this.#owners.get(id);
    if (known) return known;
    const owner = { id, held: { ...NOTHING }, lastTurn: 0, waiting: new Map() };
    this.#owners.set(id, owner);
    return owner;
  }

  #isFree({ resources }: ShareRequest): boolean {
    if (this.#holds.size > 0 || !this.#mayStart()) return false;
    return fits(atMost(amountOf(resources), this.#capacity), {
      inUse: this.#inUse,
      capacity: this.#capacity,
    });
  }

  #next(): Waiting | undefined {
    let first: Owner | undefined;
    for (const owner of this.#owners.values()) {
      if (owner.waiting.size > 0 && (!first || this.#isBefore(owner, first))) first = owner;
    }
    return first?.waiting.values().next().value;
  }

  #isBefore(one: Owner, other: Owner): boolean {
    const difference = shareOf(one.held, this.#capacity) - shareOf(other.held, this.#capacity);
    return difference < 0 || (difference === 0 && one.lastTurn < other.lastTurn);
  }

  /**
   * Forgets users who hold nothing, but only while no job waits: a user who asks later must not pass those who have
   * waited since.
   */
  #forgetIdle(): void {
    const all = [...this.#owners.values()];
    if (all.some((owner) => owner.waiting.size > 0)) return;
    for (const owner of all) if (isZero(owner.held)) this.#owners.delete(owner.id);
  }
}
