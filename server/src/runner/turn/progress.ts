import { type Ask, type Ending, type EngineEvent, isAsk, isEnding, type JobEndEvent } from "#engines/engine";
import type { IssuedInstruction, IssuedJob, Responses } from "#runner/turn/job-id";
import { attemptOf } from "#workflow/job/job";

/** The state of a run according to its recorded events, apart from the engine's own state. */
export interface Progress {
  readonly runId: string;
  /** True if the run is recorded as running. */
  readonly isBegun: boolean;
  /** The first instructions of a run that waits to begin, because no first job has capacity. */
  readonly beginning?: readonly IssuedInstruction[] | undefined;
  /** Jobs that were issued and have not ended, by key. */
  readonly jobs: ReadonlyMap<string, IssuedJob>;
  /** Asks that have not been answered, by id. */
  readonly asks: ReadonlyMap<string, Ask>;
  readonly nextSeq: number;
  /** Number of issued jobs. The run's first `jobCount` job rows hold the keys of the jobs. */
  readonly jobCount: number;
  /** The end of the run, once the engine has decided it. Jobs issued before may still have to be ended. */
  readonly ending: Ending | undefined;
  /**
   * The last snapshot: the number of the next event, and the size of the snapshot. All zero without a
   * snapshot.
   */
  readonly snapshot: { readonly nextSeq: number; readonly chars: number };
}

export function freshProgress(runId: string, nextSeq: number): Progress {
  const nothing = { jobs: new Map(), asks: new Map(), jobCount: 0, ending: undefined };
  return { runId, isBegun: false, nextSeq, ...nothing, snapshot: { nextSeq: 0, chars: 0 } };
}

/**
 * Removes answered jobs and asks from the outstanding ones. Returns the events that answered something: any
 * other event is late or a duplicate.
 */
export function accept<Event extends { readonly event: EngineEvent }>(
  progress: Progress,
  arrived: readonly Event[],
): { readonly progress: Progress; readonly accepted: readonly Event[] } {
  const jobs = new Map(progress.jobs);
  const asks = new Map(progress.asks);
  const accepted = arrived.filter(({ event }) =>
    event.kind === "job-ended" ? acceptEnd(jobs, event) : asks.delete(event.id),
  );
  return { progress: { ...progress, jobs, asks }, accepted };
}

/** Accepts the end of a job's current attempt. Ends of earlier attempts have been recorded already. */
function acceptEnd(jobs: Map<string, IssuedJob>, event: JobEndEvent): boolean {
  const issued = jobs.get(event.key);
  return issued !== undefined && attemptOf(issued.job) === attemptOf(event) && jobs.delete(event.key);
}

/** Notes the instructions resulting from recorded events. */
export function note(progress: Progress, responses: Responses): Progress {
  const jobs = new Map(progress.jobs);
  const asks = new Map(progress.asks);
  let { jobCount, ending } = progress;
  for (const instruction of responses.flat()) {
    if (instruction.do === "submit") {
      const { id, job } = instruction;
      jobs.set(job.key, { id, job });
    }
    if (instruction.do === "submit" || instruction.do === "take-over") jobCount += 1;
    if (isAsk(instruction)) asks.set(instruction.id, instruction);
    if (isEnding(instruction)) ending ??= instruction;
  }
  return { ...progress, jobs, asks, jobCount, ending, nextSeq: progress.nextSeq + responses.length };
}

/** True if no job or ask is outstanding that could move the run forward. */
export function isIdle(progress: Progress): boolean {
  return progress.jobs.size === 0 && progress.asks.size === 0;
}
