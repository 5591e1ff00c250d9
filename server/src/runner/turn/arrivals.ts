import type { EngineEvent } from "#engines/engine";
import type { IssuedJob } from "#runner/turn/job-id";
import type { JobContentsRow } from "#store/jobs/job-contents";
import type { FileStamps } from "#workflow/job/file-stamps";
import type { JobEnd } from "#workflow/job/job";

/** Input that may move a run forward. */
export type Arrival =
  /** The run has no recorded beginning. */
  | { readonly kind: "begin" }
  /** The end of a job with all related facts, or the answer to an ask. */
  | ({ readonly kind: "event" } & ArrivedEvent)
  /** A waiting job has received its share of the capacity. */
  | { readonly kind: "admitted"; readonly job: IssuedJob }
  | { readonly kind: "stop" }
  /** This server cannot continue the run. The run fails. */
  | { readonly kind: "hopeless"; readonly reason: string };

export interface ArrivedEvent {
  readonly event: EngineEvent;
  readonly stamps?: FileStamps | undefined;
  /** Contents of the ended job. Later runs decide by the contents whether to take the job over. */
  readonly contents?: JobContentsRow | undefined;
}

/** The end of a job as its backend has reported it. */
export interface ReportedEnd extends IssuedJob {
  /** Name of the backend that ran the job and keeps its log. */
  readonly backend: string;
  readonly end: JobEnd;
}

/** Undecided arrivals of one run. Effects report here, and the main loop takes from here. */
export interface Inbox {
  put(arrival: Arrival): void;
  /** Makes `take` throw the error. */
  fail(error: unknown): void;
  /** Drops all present and later arrivals. */
  close(): void;
  /**
   * Waits for an arrival, and takes at most `max`, oldest first. An arrival that ends the run passes all
   * others: it is returned alone, and stays in the inbox. Returns an empty list once the inbox is closed.
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
        // The end of the run then creates no error, whose stack would cost 50 µs.
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
