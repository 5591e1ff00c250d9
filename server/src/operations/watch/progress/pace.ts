import type { Connection } from "#store/database/database";
import { newestEnds } from "#store/events/run-news";
import type { Run } from "#store/runs/runs";

/** Pace of a running run: the number of jobs ended since a moment. */
export interface Pace {
  readonly jobs: number;
  readonly sinceMs: number;
}

/** Number of planned jobs from which a run has a pace. */
const LARGE = 20;
/** Maximum number of ends used, to measure the current pace. */
const ENDS_MAX = 100;
/** Number of ends that are too few for an estimate. */
const TOO_FEW = 5;

/**
 * Returns the pace of the newest ends. Undefined unless the run is running and large, and some of its jobs
 * have ended.
 */
export async function maybePace(db: Connection, run: Run): Promise<Pace | undefined> {
  if (run.status !== "running" || run.jobsTotal < LARGE) return undefined;
  const ends = await newestEnds(db, run.id, ENDS_MAX + 1);
  // The oldest end is where the measured time begins.
  return ends.length > TOO_FEW ? { jobs: ends.length - 1, sinceMs: Math.min(...ends) } : undefined;
}
