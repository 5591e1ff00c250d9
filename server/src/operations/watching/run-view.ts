import { maybeWaitingFor } from "#operations/waiting-for";
import type { HostStanding } from "#scheduler/scheduler";
import type { Connection } from "#store/database";
import { nextRunEventSeq } from "#store/run-events";
import { newsFrom, type NewsOfEvent, type OpenJob, openJobStates } from "#store/run-news";
import { oneWorkflow, type Workflow } from "#store/workflows";

/** How a run stands, as all see it who watch it at the same time. */
export interface RunView {
  readonly version: number;
  readonly workflow: Workflow;
  readonly waitingFor: string | undefined;
  /** The jobs that have no end yet, by id. */
  readonly open: ReadonlyMap<string, OpenJob>;
  /** Those of them that are new since the version before, or have begun to run. */
  readonly moved: readonly OpenJob[];
  /** The number of the last event, and the news of the last ones up to it without a gap. */
  readonly lastSeq: number;
  readonly recent: readonly NewsOfEvent[];
}

/** How many events are read at once, and kept for those who are only a little behind. */
const NEWS_AT_ONCE = 100;

/**
 * The run is read before its events, and these before its jobs: whoever sees a run at its end sees all its events, and
 * a job that has ended is not among the open ones.
 */
export async function lookAtRun(
  db: Connection,
  workflowId: string,
  before: RunView | undefined,
  standing?: HostStanding,
): Promise<RunView> {
  const workflow = await oneWorkflow(db, workflowId);
  const lastSeq = (await nextRunEventSeq(db, workflowId)) - 1;
  const recent = before ? await furtherNews(db, workflowId, before, lastSeq) : [];
  const open = await openJobStates(db, workflowId);
  const moved = open.filter((job) => before?.open.get(job.id)?.status !== job.status);
  const waitingFor = await maybeWaitingFor(db, workflow, open, standing);
  if (before && isSame(before, { workflow, waitingFor, lastSeq }) && isNothingNew(before, open, moved)) {
    return before;
  }
  const version = (before?.version ?? 0) + 1;
  const byId = new Map(open.map((job) => [job.id, job]));
  return { version, workflow, waitingFor, open: byId, moved, lastSeq, recent };
}

/** Who is further behind than what is kept reads by itself. */
async function furtherNews(
  db: Connection,
  workflowId: string,
  before: RunView,
  lastSeq: number,
): Promise<readonly NewsOfEvent[]> {
  if (lastSeq === before.lastSeq) return before.recent;
  const fromSeq = Math.max(before.lastSeq + 1, lastSeq - NEWS_AT_ONCE + 1);
  const news = await newsFrom(db, { workflowId, fromSeq, limit: lastSeq - fromSeq + 1 });
  // Where some were left out, the news alone are as many as are kept.
  return [...before.recent, ...news].slice(-NEWS_AT_ONCE);
}

/** Of the events from that number on up to the last one that the view knows, at most so many as are read at once. */
export async function newsUpTo(
  db: Connection,
  view: RunView,
  fromSeq: number,
): Promise<readonly NewsOfEvent[]> {
  const [oldest] = view.recent;
  if (oldest && oldest.seq <= fromSeq) return view.recent.slice(fromSeq - oldest.seq);
  const limit = Math.min(NEWS_AT_ONCE, view.lastSeq - fromSeq + 1);
  return limit <= 0 ? [] : newsFrom(db, { workflowId: view.workflow.id, fromSeq, limit });
}

function isSame(before: RunView, now: Pick<RunView, "workflow" | "waitingFor" | "lastSeq">): boolean {
  return (
    before.lastSeq === now.lastSeq &&
    before.waitingFor === now.waitingFor &&
    JSON.stringify(before.workflow) === JSON.stringify(now.workflow)
  );
}

function isNothingNew(before: RunView, open: readonly OpenJob[], moved: readonly OpenJob[]): boolean {
  return moved.length === 0 && open.length === before.open.size;
}
