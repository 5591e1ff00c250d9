import { maybePace, type Pace } from "#operations/watch/progress/pace";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import type { HostStatus } from "#scheduler/scheduler";
import type { Connection } from "#store/database/database";
import { nextRunEventSeq } from "#store/events/run-events";
import { newsFrom, type NewsOfEvent, type OpenJob, openJobStates } from "#store/events/run-news";
import { countJobs } from "#store/jobs/jobs";
import { oneRun, type Run } from "#store/runs/runs";

/** State of a run, shared by all clients watching the run. */
export interface RunView {
  readonly version: number;
  readonly run: Run;
  readonly waitingFor: string | undefined;
  /** Open jobs by id. */
  readonly open: ReadonlyMap<string, OpenJob>;
  /** Number of the run's jobs so far, counting each attempt. */
  readonly jobs: number;
  readonly pace: Pace | undefined;
  /** Open jobs that are new since the version before, or have started to run. */
  readonly moved: readonly OpenJob[];
  /** Number of the last event, and the news of the last events up to it without a gap. */
  readonly lastSeq: number;
  readonly recent: readonly NewsOfEvent[];
}

/** Number of events that are read at a time, and kept for clients that are only a little behind. */
const NEWS_AT_ONCE = 100;

/**
 * Reads the run, then the run's events, then the jobs. A client notified of the end of a run therefore has
 * all events, and no ended job counts as open.
 */
export async function lookAtRun(
  db: Connection,
  runId: string,
  before: RunView | undefined,
  host?: HostStatus,
): Promise<RunView> {
  const run = await oneRun(db, runId);
  const lastSeq = (await nextRunEventSeq(db, runId)) - 1;
  const recent = before ? await furtherNews(db, runId, before, lastSeq) : [];
  const open = await openJobStates(db, runId);
  const moved = open.filter((job) => before?.open.get(job.id)?.status !== job.status);
  const waitingFor = await maybeWaitingFor(db, run, host);
  if (before && isSame(before, { run, waitingFor, lastSeq }) && isNothingNew(before, open, moved)) {
    return before;
  }
  const version = (before?.version ?? 0) + 1;
  const byId = new Map(open.map((job) => [job.id, job]));
  const jobs = await countJobs(db, runId);
  const pace = await maybePace(db, run);
  return { version, run, waitingFor, jobs, pace, open: byId, moved, lastSeq, recent };
}

/** Returns the latest news. A client that is further behind than what is kept reads the rest itself. */
async function furtherNews(
  db: Connection,
  runId: string,
  before: RunView,
  lastSeq: number,
): Promise<readonly NewsOfEvent[]> {
  if (lastSeq === before.lastSeq) return before.recent;
  const fromSeq = Math.max(before.lastSeq + 1, lastSeq - NEWS_AT_ONCE + 1);
  const news = await newsFrom(db, { runId, fromSeq, limit: lastSeq - fromSeq + 1 });
  // If some were left out, the new ones alone are as many as are kept.
  return [...before.recent, ...news].slice(-NEWS_AT_ONCE);
}

/** Returns the news of events from `fromSeq` to the last one in the view, at most `NEWS_AT_ONCE` events. */
export async function newsUpTo(
  db: Connection,
  view: RunView,
  fromSeq: number,
): Promise<readonly NewsOfEvent[]> {
  const [oldest] = view.recent;
  if (oldest && oldest.seq <= fromSeq) return view.recent.slice(fromSeq - oldest.seq);
  const limit = Math.min(NEWS_AT_ONCE, view.lastSeq - fromSeq + 1);
  return limit <= 0 ? [] : newsFrom(db, { runId: view.run.id, fromSeq, limit });
}

function isSame(before: RunView, now: Pick<RunView, "run" | "waitingFor" | "lastSeq">): boolean {
  return (
    before.lastSeq === now.lastSeq &&
    before.waitingFor === now.waitingFor &&
    JSON.stringify(before.run) === JSON.stringify(now.run)
  );
}

function isNothingNew(before: RunView, open: readonly OpenJob[], moved: readonly OpenJob[]): boolean {
  return moved.length === 0 && open.length === before.open.size;
}
