import type { Ask, Ending } from "#engines/engine";
import { jobIdOf } from "#runner/turn/job-id";
import type { Progress } from "#runner/turn/progress";
import type { RunSnapshot } from "#store/events/run-snapshots";
import type { Job } from "#workflow/job/job";

/** Minimum number of events between two snapshots. A small snapshot costs about as much as recording three events. */
const SNAPSHOT_EVERY_EVENTS = 1000;
/** Approximate size of an event's rows: the event, the end of a job, and the next job. */
const EVENT_CHARS = 1000;

/** The outstanding jobs and asks of a run, which a snapshot keeps in addition to the engine's own state. */
interface Outstanding {
  readonly jobs: readonly Job[];
  readonly asks: readonly Ask[];
  readonly ending: Ending | null;
}

/**
 * Returns whether a snapshot is due when the events up to `after` are recorded: as soon as the events since the last
 * one have cost as much as it. So all snapshots of a run cost no more than its events, however large the state grows,
 * and a replay reads no more events than have to be written to make up for a snapshot.
 */
export function isSnapshotDue(after: Progress, everyEvents = SNAPSHOT_EVERY_EVENTS): boolean {
  const { nextSeq, chars } = after.snapshot;
  return after.nextSeq - nextSeq >= Math.max(everyEvents, chars / EVENT_CHARS);
}

/** Returns the snapshot of a run with the state of its engine, which stays a text. */
export function snapshotOf(progress: Progress, engineVersion: number, state: string): RunSnapshot {
  const { nextSeq, jobCount, jobs, asks, ending } = progress;
  const outstanding: Outstanding = {
    jobs: Array.from(jobs.values(), ({ job }) => job),
    asks: [...asks.values()],
    ending: ending ?? null,
  };
  return { seq: nextSeq - 1, engineVersion, jobCount, state, outstanding: JSON.stringify(outstanding) };
}

/** Notes the last snapshot of the run. */
export function withSnapshot(progress: Progress, { seq, state, outstanding }: RunSnapshot): Progress {
  return { ...progress, snapshot: { nextSeq: seq + 1, chars: state.length + outstanding.length } };
}

export function progressFrom(runId: string, snapshot: RunSnapshot): Progress {
  const { jobs, asks, ending } = JSON.parse(snapshot.outstanding) as Outstanding;
  const progress: Progress = {
    runId,
    isBegun: true,
    jobs: new Map(jobs.map((job) => [job.key, { id: jobIdOf(runId, job), job }])),
    asks: new Map(asks.map((ask) => [ask.id, ask])),
    nextSeq: snapshot.seq + 1,
    jobCount: snapshot.jobCount,
    ending: ending ?? undefined,
    snapshot: { nextSeq: 0, chars: 0 },
  };
  return withSnapshot(progress, snapshot);
}
