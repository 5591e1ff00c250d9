import {
  type Ask,
  type Ending,
  type EngineEvent,
  type Instruction,
  isAsk,
  isEnding,
  type JobEnded,
} from "#engines/engine";
import type { RunSnapshot } from "#store/run-snapshots";
import { attemptOf, type Job } from "#workflow/job";

/** Where a run stands according to its recorded events, beside what the engine itself remembers. */
export interface Progress {
  /** Handed out, and not ended. */
  readonly jobs: Map<string, Job>;
  /** Asked, and not answered. */
  readonly asks: Map<string, Ask>;
  nextSeq: number;
  /** How many jobs the engine has issued: their keys are the run's first so many rows of jobs. */
  jobCount: number;
  /** The engine has said how the run ends; what it handed out before may still have to be ended. */
  ending: Ending | undefined;
}

/** What a snapshot keeps, as JSON. */
export interface SnapshotBody {
  readonly engineState: unknown;
  readonly jobs: readonly Job[];
  readonly asks: readonly Ask[];
  readonly ending: Ending | null;
}

export function freshProgress(nextSeq: number): Progress {
  return { jobs: new Map(), asks: new Map(), nextSeq, jobCount: 0, ending: undefined };
}

/** Whether the event answers something that is outstanding; from now on it is not. */
export function accept(progress: Progress, event: EngineEvent): boolean {
  if (event.kind === "job-ended") return acceptEnd(progress.jobs, event);
  return progress.asks.delete(event.id);
}

/** Of an attempt before the present one everything has been told. */
function acceptEnd(jobs: Map<string, Job>, event: JobEnded): boolean {
  const job = jobs.get(event.key);
  return job !== undefined && attemptOf(job) === attemptOf(event) && jobs.delete(event.key);
}

/** What came of one recorded event. */
export function note(progress: Progress, instructions: readonly Instruction[]): void {
  progress.nextSeq += 1;
  for (const instruction of instructions) {
    if (instruction.do === "submit") {
      progress.jobs.set(instruction.job.key, instruction.job);
      progress.jobCount += 1;
    } else if (instruction.do === "take-over") {
      progress.jobCount += 1;
    } else if (isAsk(instruction)) {
      progress.asks.set(instruction.id, instruction);
    } else if (isEnding(instruction)) {
      progress.ending ??= instruction;
    }
  }
}

/** Nothing is outstanding that could make the run go on. */
export function isIdle(progress: Progress): boolean {
  return progress.jobs.size === 0 && progress.asks.size === 0;
}

export function snapshotOf(progress: Progress, engineVersion: number, engineState: unknown): RunSnapshot {
  const { jobs, asks, ending } = progress;
  const body: SnapshotBody = {
    engineState,
    jobs: [...jobs.values()],
    asks: [...asks.values()],
    ending: ending ?? null,
  };
  return { seq: progress.nextSeq - 1, engineVersion, jobCount: progress.jobCount, body };
}

export function progressFrom(body: SnapshotBody, nextSeq: number, jobCount: number): Progress {
  return {
    jobs: new Map(body.jobs.map((job) => [job.key, job])),
    asks: new Map(body.asks.map((ask) => [ask.id, ask])),
    nextSeq,
    jobCount,
    ending: body.ending ?? undefined,
  };
}
