import type { JobRequest, JobState } from "#backends/backend";
import type { Finding } from "#backends/record/evidence";
import type { ListedJob } from "#backends/record/place";

/** A job on a cluster that has no end yet. */
export interface TrackedJob {
  readonly request: JobRequest;
  /** True if the cluster has the job: the next listing can judge it. */
  isSent: boolean;
  state: JobState;
  /** Time since which the job seems to be lost. */
  doubtSinceMs?: number | undefined;
  /** Time of the first listing in a row without an answer of the job's node. */
  silentSinceMs?: number | undefined;
  /** Number of submissions after the first one. */
  sentAgain?: number;
  /** Set while the job waits in the queue. */
  waiting?: Waiting | undefined;
}

interface Waiting {
  /** The listed job when its record was last read. */
  readonly listed: ListedJob;
  /** Number of listings for which the record need not be read if nothing changes. */
  skips: number;
}

/**
 * Number of listings for which the record of a waiting job is not read, because reading 10,000 records takes a second. A
 * start arrives as news, so the number only limits the time until lost news is found.
 */
const SKIPS_MAX = 15;

/** Remembers a job that waits in the queue. `turn` spreads the first readings of jobs that were sent together. */
export function noteWaiting(
  job: TrackedJob,
  { finding, listed, turn }: { finding: Finding; listed: readonly ListedJob[]; turn: number },
): void {
  const [only, ...others] = listed;
  const isWaiting = finding.is === "queued" && only?.phase === "waiting" && others.length === 0;
  const skips = job.waiting ? SKIPS_MAX : turn % SKIPS_MAX;
  job.waiting = isWaiting ? { listed: only, skips } : undefined;
}

/** True if a job waits in the queue as it did when its record was last read. Counts the listing. */
export function maySkip({ waiting }: TrackedJob, [only, ...others]: readonly ListedJob[]): boolean {
  if (!waiting || waiting.skips === 0 || others.length > 0) return false;
  const { outsideId, phase, sentence } = waiting.listed;
  if (only?.outsideId !== outsideId || only.phase !== phase || only.sentence !== sentence) return false;
  waiting.skips -= 1;
  return true;
}
