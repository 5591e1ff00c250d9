import type { Capacity, CapacityRequest } from "#runner/jobs/capacity";
import {
  addAmount,
  type Amount,
  amountOf,
  atMost,
  fits,
  hasGpusFor,
  isZero,
  NOTHING,
  shareOf,
} from "#scheduler/amount";
import type { Resources } from "#workflow/job/job";

interface Waiting {
  readonly request: ShareRequest;
  readonly amount: Amount;
  /** The number of the request: a smaller one has waited longer. */
  readonly number: number;
  readonly onAcquired: () => void;
}

interface Owner {
  readonly id: string;
  readonly held: Amount;
  /** The number of the latest share granted to a job of this user. 0 before the first share. */
  lastTurn: number;
  /** Waiting jobs without GPUs by id, in the order of their requests. */
  readonly waiting: Map<string, Waiting>;
  /** Waiting jobs with GPUs. */
  readonly waitingForGpus: Map<string, Waiting>;
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
  gpusInUse(): number;
  /** Returns the runs with a job that waits because too few GPUs are free, and how many GPUs the first such job needs. */
  waitingForGpus(): ReadonlyMap<string, number>;
}

/**
 * Shares out a host's cores, memory and GPUs. The user who holds the least is next; between equals, the user who
 * has gone without for longest (if only one job fits, all users are always equal); and among the jobs of one
 * user, the job that has waited longest. While the next job does not fit, no other job passes, so that a
 * large job gets its turn. Only a job that waits for GPUs lets jobs without GPUs pass: its wait may take days, while
 * the cores of the machine are free. A job that requests more than the capacity gets all of the capacity. While
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
  #requests = 0;
  #isGrantDue = false;

  constructor(capacity: Amount, mayStart: () => boolean) {
    this.#capacity = capacity;
    this.#mayStart = mayStart;
  }

  tryAcquire(request: ShareRequest): boolean {
    if (this.#shares.has(request.jobId)) return true;
    const amount = this.#amountFor(request);
    if (this.#next(amount) || !this.#isFree(amount)) return false;
    this.acquire(request);
    return true;
  }

  acquire(request: ShareRequest): void {
    const { jobId, ownerId } = request;
    if (this.#shares.has(jobId)) return;
    const owner = this.#owner(ownerId);
    const amount = this.#amountFor(request);
    this.#shares.set(jobId, { owner, amount });
    addAmount(this.#inUse, amount, 1);
    addAmount(owner.held, amount, 1);
    owner.lastTurn = this.#turns += 1;
  }

  enqueue(request: ShareRequest, onAcquired: () => void): void {
    const owner = this.#owner(request.ownerId);
    const amount = this.#amountFor(request);
    const queue = amount.gpus > 0 ? owner.waitingForGpus : owner.waiting;
    queue.set(request.jobId, { request, amount, number: (this.#requests += 1), onAcquired });
    this.grantSoon();
  }

  release(jobId: string): void {
    const share = this.#shares.get(jobId);
    for (const owner of share ? [share.owner] : this.#owners.values()) forgetWaiting(owner, jobId);
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
    for (let one = this.#next(); one && this.#isFree(one.amount); one = this.#next()) {
      forgetWaiting(this.#owner(one.request.ownerId), one.request.jobId);
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
    const owner = { id, held: { ...NOTHING }, lastTurn: 0, waiting: new Map(), waitingForGpus: new Map() };
    this.#owners.set(id, owner);
    return owner;
  }

  #amountFor({ resources }: ShareRequest): Amount {
    return atMost(amountOf(resources), this.#capacity);
  }

  #use() {
    return { inUse: this.#inUse, capacity: this.#capacity };
  }

  #isFree(amount: Amount): boolean {
    if (this.#holds.size > 0 || !this.#mayStart()) return false;
    return fits(amount, this.#use());
  }

  /**
   * Returns the waiting job that comes before all others, and before a new request for `amount`. While the first job lacks
   * GPUs, that is the first job without GPUs, and a new request without GPUs has no job with GPUs before it.
   */
  #next(amount?: Amount): Waiting | undefined {
    const first = this.#firstIn(firstOfBoth);
    if (!first || hasGpusFor(first.amount, this.#use())) return first;
    const withoutGpus = this.#firstIn(firstWithoutGpus);
    return amount && amount.gpus > 0 ? first : withoutGpus;
  }

  /** Returns the first waiting job of the user who is next. */
  #firstIn(firstOf: (owner: Owner) => Waiting | undefined): Waiting | undefined {
    let next: { readonly owner: Owner; readonly first: Waiting } | undefined;
    for (const owner of this.#owners.values()) {
      const first = firstOf(owner);
      if (first && (!next || this.#isBefore(owner, next.owner))) next = { owner, first };
    }
    return next?.first;
  }

  gpusInUse(): number {
    return this.#inUse.gpus;
  }

  waitingForGpus(): ReadonlyMap<string, number> {
    const runs = new Map<string, number>();
    for (const { waitingForGpus } of this.#owners.values())
      for (const { request, amount } of waitingForGpus.values())
        if (!runs.has(request.runId) && !hasGpusFor(amount, this.#use()))
          runs.set(request.runId, amount.gpus);
    return runs;
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
    if (all.some((owner) => firstOfBoth(owner))) return;
    for (const owner of all) if (isZero(owner.held)) this.#owners.delete(owner.id);
  }
}

function firstWithoutGpus({ waiting }: Owner): Waiting | undefined {
  return waiting.values().next().value;
}

/** Returns the job that has waited longest, with GPUs or without. */
function firstOfBoth(owner: Owner): Waiting | undefined {
  const plain = firstWithoutGpus(owner);
  const withGpus = owner.waitingForGpus.values().next().value;
  if (!plain || !withGpus) return plain ?? withGpus;
  return plain.number < withGpus.number ? plain : withGpus;
}

function forgetWaiting(owner: Owner, jobId: string): void {
  owner.waiting.delete(jobId);
  owner.waitingForGpus.delete(jobId);
}
