import type { EngineEvent } from "#engines/engine";
import type { IssuedJob } from "#runner/turn/job-id";
import type { JobContentsRow } from "#store/jobs/job-contents";
import type { FileStamps } from "#workflow/job/file-stamps";
import type { JobEnd } from "#workflow/job/job";

/** Anything that may move a run forward. */
export type Arrival =
  /** The run has no recorded beginning. */
  | { readonly kind: "begin" }
  /** A backend has reported the end of a job. */
  | { readonly kind: "job-over"; readonly over: JobOver }
  /** The end of a job with all that belongs to it, or the answer to an ask. */
  | ({ readonly kind: "event" } & ArrivedEvent)
  /** A job that waited has its share of the capacity. */
  | { readonly kind: "admitted"; readonly job: IssuedJob }
  | { readonly kind: "stop" }
  /** This server cannot continue the run, which therefore fails. */
  | { readonly kind: "hopeless"; readonly reason: string };

export interface ArrivedEvent {
  readonly event: EngineEvent;
  readonly stamps?: FileStamps | undefined;
  /** Contents of the ended job, from which later runs see whether they can take it over. */
  readonly done?: JobContentsRow | undefined;
}

export interface JobOver extends IssuedJob {
  /** Name of the backend that ran the job and has its log. */
  readonly backend: string;
  readonly end: JobEnd;
}

/** Arrivals of one run that are not decided on yet. Effects report here, and the main loop takes from here. */
export interface Inbox {
  put(arrival: Arrival): void;
  /** Makes `take` throw the error. */
  fail(error: unknown): void;
  /** Drops all arrivals, present and later ones. */
  close(): void;
  /**
   * Waits until something has arrived, and takes at most `max`, oldest first. An arrival that ends the run passes all
   * others: it is returned alone, and stays in the inbox. Returns nothing once the inbox is closed.
   */
  take(max: number): Promise<readonly Arrival[]>;
  /**
   * Returns the result of work in the engine, which may take a minute. Throws `Interrupted` as soon as an arrival ends
   * the run or the inbox is closed.
   */
  unlessEnding<Result>(work: Promise<Result>): Promise<Result>;
}

/** Thrown if the run is to end, or to be left, before the engine has replied. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

export function createInbox(): Inbox {
  let arrived: Arrival[] = [];
  let failure: { readonly error: unknown } | undefined;
  let isClosed = false;
  let wake = nothing;
  let interrupt = nothing;
  const isReady = () => isClosed || failure !== undefined || arrived.length > 0;

  return {
    put(arrival) {
      if (isClosed) return;
      arrived.push(arrival);
      if (endsRun(arrival)) interrupt();
      wake();
    },
    fail(error) {
      failure ??= { error };
      wake();
    },
    close() {
      isClosed = true;
      arrived = [];
      interrupt();
      wake();
    },
    async take(max) {
      while (!isReady()) await new Promise<void>((resolve) => (wake = resolve));
      if (isClosed) return [];
      if (failure) throw failure.error;
      const last = arrived.find(endsRun);
      return last ? [last] : arrived.splice(0, max);
    },
    unlessEnding: (work) =>
      new Promise((resolve, reject) => {
        const mine = () => reject(new Interrupted());
        interrupt = mine;
        if (isClosed || arrived.some(endsRun)) interrupt();
        work.then(resolve, reject);
        // The end of the run then makes no error, whose stack costs 50 µs.
        const forget = () => {
          if (interrupt === mine) interrupt = nothing;
        };
        work.then(forget, forget);
      }),
  };
}

function nothing(): void {}

function endsRun({ kind }: Arrival): boolean {
  return kind === "stop" || kind === "hopeless";
}
