import { type Ask, type Ending, isAsk } from "#engines/engine";
import { type OutstandingLimit, placesLeft } from "#engines/outstanding";
import { type Closing, closingDecided, closingRefused } from "#runner/turn/closing";
import { type IssuedInstruction, type IssuedJob, type Responses, submittedIn } from "#runner/turn/job-id";
import { isIdle, note, type Progress } from "#runner/turn/progress";
import { recordOf, type RunRecord } from "#runner/turn/record";
import type { Sifted } from "#runner/turn/sift";
import type { JobNote } from "#store/jobs/job-changes";
import { BEGUN } from "#workflow/run/event-kinds";

/** The arrivals that count, with the engine's responses. */
export interface CollectedResponses extends Sifted {
  readonly responses: Responses;
  /** The run after the responses. */
  readonly after: Progress;
  /** New jobs that start if capacity is free. */
  readonly toStart: readonly IssuedJob[];
}

export interface Decision {
  /** The run, once the record is committed. */
  readonly progress: Progress;
  /** Committed before the orders are carried out. Absent if the record would be empty. */
  readonly record?: RunRecord | undefined;
  readonly orders: Orders;
  /** Set if the run ends. */
  readonly closing?: Closing | undefined;
}

/** The effects to carry out next. */
export interface Orders {
  readonly submit: readonly Submission[];
  /** Jobs waiting for capacity. */
  readonly enqueue: readonly IssuedJob[];
  readonly answer: readonly Ask[];
  /** Files that later jobs do not read. */
  readonly release: readonly string[];
}

export interface Submission extends IssuedJob {
  /** Place of a job that may have been submitted before. Absent for a new job. */
  readonly placed?: Placed;
}

/** Place of a submitted job, as recorded in the job's row. */
export interface Placed extends Omit<JobNote, "id"> {
  /** Name of the backend. */
  readonly backend: string;
  readonly hostToken: string;
}

const NO_ORDERS: Orders = { submit: [], enqueue: [], answer: [], release: [] };

/** An engine must not leave a run in this state: the run would wait forever. */
const IDLE =
  "The workflow engine has nothing outstanding and has not ended the run. This is a bug: please report it.";

/**
 * Collects the engine's responses to all events of a turn. Ends a run whose engine has more outstanding than the run
 * may have.
 */
export function collectResponses(
  sifted: Sifted,
  responses: Responses,
  limit: OutstandingLimit,
): CollectedResponses {
  const after = note(sifted.progress, responses);
  const outstanding = after.jobs.size + after.asks.size;
  if (placesLeft(limit, outstanding) >= 0 || after.ending) {
    return { ...sifted, responses, after, toStart: after.ending ? [] : submittedIn(responses) };
  }
  const reason =
    `The workflow engine has ${outstanding} jobs and questions outstanding; the limit of this run is ${placesLeft(limit, 0)}. ` +
    "This is a bug in the engine: please report it. As a workaround, start the server with a higher " +
    "--max-outstanding and run again.";
  const closing = sifted.closing ?? closingRefused(sifted.before, reason);
  return { ...sifted, responses, after, toStart: [], closing };
}

/**
 * Decides about the record and the orders of a turn. `granted` holds the ids of the jobs to start with capacity. The
 * first matching case decides:
 *
 * | case | recorded now | done next |
 * |---|---|---|
 * | a stop, or the run cannot continue | nothing | closes the run |
 * | all first jobs wait for capacity | nothing | queues them |
 * | the engine has ended the run | the events, unless the end takes them along (`decideEnd`) | closes the run |
 * | no event, no admitted job | nothing | nothing |
 * | the engine waits for nothing | the events | closes the run as failed |
 * | any other | events, new jobs, admitted jobs | submits, queues, answers |
 */
export function decide(considered: CollectedResponses, granted: ReadonlySet<string>): Decision {
  const { before, progress, happened, admitted, closing, responses, after, toStart } = considered;
  if (closing) return { progress, orders: NO_ORDERS, closing };
  if (mustWait(considered, granted)) {
    return { progress: { ...progress, beginning: responses[0] }, orders: { ...NO_ORDERS, enqueue: toStart } };
  }
  const recorded = recordOf(before, happened, responses, granted);
  if (after.ending) return decideEnd(after, recorded, after.ending);
  if (happened.length + admitted.length === 0) return { progress, orders: NO_ORDERS };
  const record = { ...recorded, admitted };
  const next = { ...after, isBegun: true, beginning: undefined };
  if (isIdle(next)) return { progress: next, record, orders: NO_ORDERS, closing: closingRefused(next, IDLE) };
  const [begun, waiting] = split(toStart, ({ id }) => granted.has(id));
  const answer = responses.flat().filter(isAsk);
  const release = responses.flat().flatMap((one) => (one.do === "release" ? one.paths : []));
  return {
    progress: next,
    record,
    orders: { submit: [...admitted, ...begun], enqueue: waiting, answer, release },
  };
}

/** A run has not begun while all its first jobs wait for capacity: no work is possible. */
function mustWait(
  { happened, responses, toStart }: CollectedResponses,
  granted: ReadonlySet<string>,
): boolean {
  if (happened[0]?.kind !== BEGUN || toStart.length === 0 || granted.size > 0) return false;
  return responses.flat().every(onlyIssuesJobs);
}

/** True for jobs, and for instructions that only describe jobs. */
function onlyIssuesJobs(instruction: IssuedInstruction): boolean {
  return JOB_WORDS.has(instruction.do);
}

const JOB_WORDS: ReadonlySet<IssuedInstruction["do"]> = new Set(["submit", "expect", "log", "draw", "mark"]);

/**
 * Records the last events with the end if no job is left. Otherwise records the events first, and the end after the jobs
 * are gone.
 */
function decideEnd(after: Progress, record: RunRecord, ending: Ending): Decision {
  const progress = { ...after, isBegun: true, beginning: undefined };
  if (after.jobs.size === 0) {
    return { progress, orders: NO_ORDERS, closing: { hasJobs: false, record: { ...record, ending } } };
  }
  return { progress, record, orders: NO_ORDERS, closing: closingDecided(progress, ending) };
}

/** Decides what to do first after a replay of the recorded events. */
export function resume(progress: Progress, placed: ReadonlyMap<string, Placed>): Decision {
  if (progress.ending)
    return { progress, orders: NO_ORDERS, closing: closingDecided(progress, progress.ending) };
  if (isIdle(progress)) return { progress, orders: NO_ORDERS, closing: closingRefused(progress, IDLE) };
  const [begun, enqueue] = split([...progress.jobs.values()], ({ id }) => placed.has(id));
  const submit = begun.map((job) => ({ ...job, placed: placed.get(job.id)! }));
  return {
    progress,
    orders: { submit, enqueue, answer: [...progress.asks.values()], release: [] },
  };
}

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
