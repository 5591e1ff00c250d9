import type { RunFailure } from "#operations/run-failure";
import type { RunView } from "#operations/watching/run-view";
import type { EndedJob, NewsOfEvent, OpenJob } from "#store/run-news";
import type { Workflow } from "#store/workflows";
import type { RunStatus } from "#workflow/run-status";

/** What is told to those who watch a run: few kinds of news, and nothing of how the run is carried out. */
export type RunNews =
  | { readonly kind: "status"; readonly status: RunStatus; readonly waitingFor: string | undefined }
  | { readonly kind: "progress"; readonly progress: JobCounts }
  /** It waits for its turn, or runs. */
  | { readonly kind: "job"; readonly job: OpenJob }
  | { readonly kind: "job-ended"; readonly job: EndedJob; readonly atMs: number; readonly place: NewsPlace }
  /** Whole lines of the run's own log. */
  | { readonly kind: "log"; readonly text: string; readonly atMs: number; readonly place: NewsPlace }
  /** Nothing new for a while. */
  | { readonly kind: "quiet" }
  | { readonly kind: "end"; readonly workflow: Workflow; readonly failure: RunFailure | undefined };

/** Where a piece of the history stands: the number of its event, and which of that event's pieces it is. */
export interface NewsPlace {
  readonly seq: number;
  readonly part: number;
}

export interface JobCounts {
  /** As many as the run will have as far as is known. */
  readonly total: number;
  /** Waiting for their turn. */
  readonly created: number;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
}

/** The pieces of one event, from a place on. Their order must never change: places are remembered by clients. */
export function newsOf({ seq, atMs, log, ended }: NewsOfEvent, from: NewsPlace): RunNews[] {
  const pieces: RunNews[] = ended.map((job, part) => ({
    kind: "job-ended",
    job,
    atMs,
    place: { seq, part },
  }));
  if (log !== "") pieces.push({ kind: "log", text: log, atMs, place: { seq, part: ended.length } });
  return seq === from.seq ? pieces.slice(from.part) : pieces;
}

/** How a run stands, as far as it is not known; of the jobs only when something is. */
export function standingNews(known: RunView | undefined, view: RunView): RunNews[] {
  const news: RunNews[] = [];
  const { workflow, waitingFor } = view;
  if (known?.workflow.status !== workflow.status || known.waitingFor !== waitingFor) {
    news.push({ kind: "status", status: workflow.status, waitingFor });
  }
  for (const job of movedSince(known, view)) news.push({ kind: "job", job });
  const progress = countsOf(view);
  if (!known || JSON.stringify(countsOf(known)) !== JSON.stringify(progress)) {
    news.push({ kind: "progress", progress });
  }
  return news;
}

function movedSince(known: RunView | undefined, view: RunView): readonly OpenJob[] {
  if (known === view) return [];
  if (known?.version === view.version - 1) return view.moved;
  return [...view.open.values()].filter((job) => known?.open.get(job.id)?.status !== job.status);
}

function countsOf({ workflow, open }: RunView): JobCounts {
  const jobs = [...open.values()];
  const running = jobs.filter(({ status }) => status === "running").length;
  const { jobsFinished: finished, jobsFailed: failed } = workflow;
  const total = Math.max(workflow.jobsTotal, finished + failed + jobs.length);
  return { total, created: jobs.length - running, running, finished, failed };
}
