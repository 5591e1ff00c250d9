import type { RunFailure } from "#operations/watch/failure";
import type { Pace } from "#operations/watch/progress/pace";
import type { RunView } from "#operations/watch/progress/run-view";
import type { EndedJobNews, NewsOfEvent, OpenJob } from "#store/events/run-news";
import type { Run } from "#store/runs/runs";
import type { RunStatus } from "#workflow/run/run-status";
import { jobsInTotal } from "#workflow/job/job";

/** News for clients that watch a run: a few kinds, and no details of how the run is carried out. */
export type RunNews =
  | { readonly kind: "status"; readonly status: RunStatus; readonly waitingFor: string | undefined }
  | { readonly kind: "progress"; readonly progress: JobCounts; readonly pace?: Pace }
  /** Job waiting for capacity or running. */
  | { readonly kind: "job"; readonly job: OpenJob }
  | {
      readonly kind: "job-ended";
      readonly job: EndedJobNews;
      readonly atMs: number;
      readonly place: NewsPlace;
    }
  /** Whole lines of the run's own log. */
  | { readonly kind: "log"; readonly text: string; readonly atMs: number; readonly place: NewsPlace }
  /** Sent if nothing has changed for a while. */
  | { readonly kind: "quiet" }
  | { readonly kind: "end"; readonly run: Run; readonly failure: RunFailure | undefined };

/** Position in the history: the number of the event, and the index among the event's pieces. */
export interface NewsPlace {
  readonly seq: number;
  readonly part: number;
}

export interface JobCounts {
  /** Number of jobs that the run will have, as far as known. */
  readonly total: number;
  /** Jobs waiting for capacity. */
  readonly created: number;
  readonly running: number;
  readonly finished: number;
  readonly failed: number;
}

/** Returns the pieces of one event, from a place on. Their order must never change: clients remember places. */
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

/** Returns what has changed in the state of a run since `known`. Includes job counts only if they changed. */
export function newsSince(known: RunView | undefined, view: RunView): RunNews[] {
  const news: RunNews[] = [];
  const { run, waitingFor } = view;
  if (known?.run.status !== run.status || known.waitingFor !== waitingFor) {
    news.push({ kind: "status", status: run.status, waitingFor });
  }
  for (const job of movedSince(known, view)) news.push({ kind: "job", job });
  const progress = countsOf(view);
  if (!known || JSON.stringify(countsOf(known)) !== JSON.stringify(progress)) {
    news.push({ kind: "progress", progress, ...(view.pace && { pace: view.pace }) });
  }
  return news;
}

function movedSince(known: RunView | undefined, view: RunView): readonly OpenJob[] {
  if (known === view) return [];
  if (known?.version === view.version - 1) return view.moved;
  return [...view.open.values()].filter((job) => known?.open.get(job.id)?.status !== job.status);
}

function countsOf({ run, jobs, open }: RunView): JobCounts {
  const running = [...open.values()].filter(({ status }) => status === "running").length;
  const { jobsFinished: finished, jobsFailed: failed } = run;
  return { total: jobsInTotal(run, jobs), created: open.size - running, running, finished, failed };
}
