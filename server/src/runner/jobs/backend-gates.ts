import type { Backend, JobListener, JobState } from "#backends/backend";
import type { Clock } from "#plumbing/clock";

/** The gates of all backends of this server. */
export interface BackendGates {
  of(backend: Backend): BackendGate;
}

/**
 * Path of all runs of this server to one backend. The gate limits concurrent submissions, and shares them
 * between runs by turns. While the backend is away, all jobs wait, except for one job at a time as a probe.
 * Jobs for a cluster are in flight from their submission to their end. The gate limits their number, and gives the next
 * place to the user with the fewest jobs in flight. The gate also delivers the reports of the backend to the run of the job.
 */
export interface BackendGate {
  /** Opens the passage of a run of that user. `listener` hears of the jobs that the run has named by `expect`. */
  open(ownerId: string, listener: JobListener): Passage;
}

export interface Passage {
  /** Queues a job, and sends the job in its turn. */
  queue(job: QueuedJob): void;
  /** Removes waiting jobs. No further job is sent. */
  withdraw(): void;
  /** Makes the listener hear of a job until it has ended. */
  expect(id: string): void;
  /** Frees the place of a job that has ended without a report of the backend. */
  forget(id: string): void;
  /** Resolves when no job is being sent. */
  settled(): Promise<void>;
  /** Stops sending and listening. */
  close(): void;
}

export interface QueuedJob {
  readonly id: string;
  /** True if the backend has the job already, so that it needs no place. */
  readonly isInPlace: boolean;
  /**
   * Sends the job, and handles all errors. Returns a sentence if the backend is away: the job is sent again once the
   * backend may be back.
   */
  send(): Promise<string | undefined>;
  /** Called with the sentence that explains the absence if the job has to wait. */
  onAway(sentence: string): void;
}

/** Limit on submissions under way to one backend: a cluster responds slowly, and a run may queue thousands of jobs. */
const CONCURRENT_MAX = 16;
/**
 * The last tenth of the places is for users who have fewer jobs in flight than that, so that no user waits until the jobs of
 * another one end.
 */
const RESERVED = 0.1;
/** Delay between attempts to reach a backend that is away. */
const AWAY_RETRY_MS = 5000;

/** Limit on the jobs in the queue of a cluster, unless a setting says otherwise. Slurm keeps 10,000 jobs of all its users. */
const MOST_IN_FLIGHT = 1000;

export function createBackendGates(
  clock: Pick<Clock, "after">,
  mostInFlight: number = MOST_IN_FLIGHT,
): BackendGates {
  const gates = new WeakMap<Backend, BackendGate>();
  return {
    of(backend) {
      const gate =
        gates.get(backend) ?? new Gate(backend, clock, backend.isHostBound ? Infinity : mostInFlight);
      gates.set(backend, gate);
      return gate;
    },
  };
}

class Gate implements BackendGate {
  readonly #backend: Backend;
  readonly #clock: Pick<Clock, "after">;
  readonly #passages = new Set<RunPassage>();
  /** The passages with waiting jobs, in the order of their turns. */
  readonly #turns = new Set<RunPassage>();
  /** The passage that receives reports about each job. */
  readonly #routes = new Map<string, RunPassage>();
  #unwatch: (() => void) | undefined;
  #underWay = 0;
  /** Set while the backend is away, and no job is sent. */
  #absence: string | undefined;
  /** True from an absence until a job has arrived: only one job is sent at a time. */
  #isDoubtful = false;
  #cancelRetry: () => void = () => undefined;
  readonly #mostInFlight: number;

  constructor(backend: Backend, clock: Pick<Clock, "after">, mostInFlight: number) {
    this.#backend = backend;
    this.#clock = clock;
    this.#mostInFlight = mostInFlight;
  }

  open(ownerId: string, listener: JobListener): Passage {
    const passage = new RunPassage(ownerId, listener, {
      onQueued: (job) => this.#onQueued(passage, job),
      onExpected: (id) => void this.#routes.set(id, passage),
      onForgotten: (id) => {
        this.#routes.delete(id);
        this.#sendNext();
      },
      onWithdrawn: () => void this.#turns.delete(passage),
      onClosed: () => this.#onClosed(passage),
    });
    this.#passages.add(passage);
    this.#unwatch ??= this.#backend.watch((id, state) => this.#deliver(id, state));
    return passage;
  }

  #deliver(id: string, state: JobState): void {
    this.#routes.get(id)?.hear(id, state);
  }

  #onQueued(passage: RunPassage, job: QueuedJob): void {
    this.#turns.add(passage);
    if (this.#absence === undefined) this.#sendNext();
    else job.onAway(this.#absence);
  }

  #onClosed(passage: RunPassage): void {
    this.#passages.delete(passage);
    this.#turns.delete(passage);
    if (this.#passages.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#cancelRetry();
    this.#absence = undefined;
  }

  #sendNext(): void {
    const limit = this.#isDoubtful ? 1 : CONCURRENT_MAX;
    while (this.#absence === undefined && this.#underWay < limit) {
      const passage = this.#nextPassage();
      if (!passage) return;
      this.#turns.delete(passage);
      const job = passage.next();
      // The next turn of the run comes after all other runs.
      if (passage.hasNext()) this.#turns.add(passage);
      this.#underWay += 1;
      passage.follow(this.#send(passage, job));
    }
  }

  /** Returns the passage whose job is sent next: of the user with the fewest jobs in flight, the one whose turn it is. */
  #nextPassage(): RunPassage | undefined {
    if (this.#mostInFlight === Infinity) return this.#turns.values().next().value;
    const inFlight = new Map<string, number>();
    for (const { ownerId, inFlight: count } of this.#passages)
      inFlight.set(ownerId, (inFlight.get(ownerId) ?? 0) + count);
    const free = this.#mostInFlight - [...inFlight.values()].reduce((sum, one) => sum + one, 0);
    const reserved = this.#mostInFlight * RESERVED;
    let best: RunPassage | undefined;
    for (const passage of this.#turns) {
      if (passage.isNextInPlace()) return passage;
      const own = inFlight.get(passage.ownerId)!;
      if (free <= 0 || (free <= reserved && own >= reserved)) continue;
      if (!best || own < inFlight.get(best.ownerId)!) best = passage;
    }
    return best;
  }

  async #send(passage: RunPassage, job: QueuedJob): Promise<void> {
    const sentence = await job.send();
    this.#underWay -= 1;
    // During an absence, this answers a job sent before the absence.
    if (sentence === undefined) this.#isDoubtful &&= this.#absence !== undefined;
    else {
      if (passage.putBack(job)) this.#turns.add(passage);
      this.#leave(sentence, job);
    }
    this.#sendNext();
  }

  #leave(sentence: string, job: QueuedJob): void {
    job.onAway(sentence);
    if (this.#absence !== undefined || this.#passages.size === 0) return;
    this.#absence = sentence;
    this.#isDoubtful = true;
    for (const passage of this.#turns) passage.tellAway(sentence);
    this.#cancelRetry = this.#clock.after(AWAY_RETRY_MS, () => {
      this.#absence = undefined;
      this.#sendNext();
    });
  }
}

interface PassageEvents {
  readonly onQueued: (job: QueuedJob) => void;
  readonly onExpected: (id: string) => void;
  readonly onForgotten: (id: string) => void;
  readonly onWithdrawn: () => void;
  readonly onClosed: () => void;
}

class RunPassage implements Passage {
  readonly ownerId: string;
  readonly #listener: JobListener;
  readonly #events: PassageEvents;
  readonly #expected = new Set<string>();
  /** Ids of the jobs that were sent and have not ended. */
  readonly #inFlight = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  /** FIFO queue. `#head` is the index of its first job. */
  #waiting: QueuedJob[] = [];
  #head = 0;
  /** Jobs that found the backend away, or that it has already. Sent first. */
  #again: QueuedJob[] = [];
  #isWithdrawn = false;

  constructor(ownerId: string, listener: JobListener, events: PassageEvents) {
    this.ownerId = ownerId;
    this.#listener = listener;
    this.#events = events;
  }

  queue(job: QueuedJob): void {
    if (this.#isWithdrawn) return;
    (job.isInPlace ? this.#again : this.#waiting).push(job);
    this.#events.onQueued(job);
  }

  withdraw(): void {
    this.#isWithdrawn = true;
    this.#waiting = [];
    this.#head = 0;
    this.#again = [];
    this.#events.onWithdrawn();
  }

  expect(id: string): void {
    this.#expected.add(id);
    this.#events.onExpected(id);
  }

  hear(id: string, state: JobState): void {
    if (state.status === "ended") this.forget(id);
    this.#listener(id, state);
  }

  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  close(): void {
    this.withdraw();
    for (const id of this.#expected) this.forget(id);
    this.#events.onClosed();
  }

  hasNext(): boolean {
    return this.#again.length > 0 || this.#head < this.#waiting.length;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  isNextInPlace(): boolean {
    return this.#again[0]?.isInPlace ?? false;
  }

  next(): QueuedJob {
    const job = this.#again.shift() ?? this.#nextWaiting();
    this.#inFlight.add(job.id);
    return job;
  }

  #nextWaiting(): QueuedJob {
    const job = this.#waiting[this.#head]!;
    this.#head += 1;
    if (this.#head < this.#waiting.length) return job;
    this.#waiting = [];
    this.#head = 0;
    return job;
  }

  follow(sending: Promise<void>): void {
    const followed = sending.finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }

  /** Queues a job again. Returns whether it may still be sent. */
  putBack(job: QueuedJob): boolean {
    if (!job.isInPlace) this.#inFlight.delete(job.id);
    if (!this.#isWithdrawn) this.#again.push(job);
    return !this.#isWithdrawn;
  }

  tellAway(sentence: string): void {
    for (const job of this.#waiting.slice(this.#head)) job.onAway(sentence);
  }

  forget(id: string): void {
    this.#expected.delete(id);
    this.#inFlight.delete(id);
    this.#events.onForgotten(id);
  }
}
