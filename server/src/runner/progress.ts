import {
  type Ask,
  type Ending,
  type EngineEvent,
  type Instruction,
  isAsk,
  isEnding,
  type JobEnded,
} from "#engines/engine";
import type { RunSnapshot } from "#store/events/run-snapshots";
import { attemptOf, type Job } from "#workflow/job";

/** The state of a run according to its recorded events, apart from the engine's own state. */
export interface Progress {
  /** Jobs that were issued and have not ended, by key. */
  readonly jobs: Map<string, Job>;
  /** Asks that have not been answered, by id. */
  readonly asks: Map<string, Ask>;
  nextSeq: number;
  /** Number of jobs that the engine has issued. The run's first `jobCount` job rows hold their keys. */
  jobCount: number;
  /** The end of the run, once the engine has decided it. Jobs issued before may still have to be ended. */
  ending: Ending | undefined;
}

/** The content of a snapshot, as JSON. */
export interface SnapshotBody {
  readonly engineState: unknown;
  readonly jobs: readonly Job[];
  readonly asks: readonly Ask[];
  readonly ending: Ending | null;
}

export function freshProgress(nextSeq: number): Progress {
  return { jobs: new Map(), asks: new Map(), nextSeq, jobCount: 0, ending: undefined };
}

/** Removes what the event answers from the outstanding jobs and asks. Returns whether it was outstanding. */
export function accept(progress: Progress, event: EngineEvent): boolean {
  if (event.kind === "job-ended") return acceptEnd(progress.jobs, event);
  return progress.asks.delete(event.id);
}

/** Accepts the end of a job's current attempt. Ends of earlier attempts have been recorded already. */
function acceptEnd(jobs: Map<string, Job>, event: JobEnded): boolean {
  const job = jobs.get(event.key);
  return job !== undefined && attemptOf(job) === attemptOf(event) && jobs.delete(event.key);
}

/** Notes the instructions that followed from one recorded event. */
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

/** True if nothing is outstanding that could move the run forward. */
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
