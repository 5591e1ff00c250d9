import type { RunEvent } from "reprise-sdk";
import { queryCache } from "./cache.ts";
import { liveJobs } from "./live-jobs.ts";
import { run, type RunRecord } from "./run-asks.ts";

type Progress = Extract<RunEvent, { event: "progress" }>["data"];

/** The first look shows the history that a run has already. */
const FIRST_LOOK_MS = 100;
/**
 * Maximum time between two updates: a run of 10,000 jobs has many events in a second. Up to half of the time
 * is randomly subtracted, so that hundreds of open pages do not send requests at the same moment.
 */
const LOOK_EVERY_MS = 2000;
/** Refresh interval for data without events, such as the files written by jobs. */
const LOOK_AROUND_MS = 5000;
const AROUND = ["files", "file", "usage"];

/**
 * Carries the events of a run into the cache. They say the status and the numbers of jobs themselves; the page asks for
 * the records of jobs that have changed, for the graph if it is shown, and for all the rest when the status changes.
 */
export function runNews(id: string, historyKey: readonly unknown[]) {
  const jobs = liveJobs(id);
  // A second connection may repeat events, so events are deduplicated by id.
  const known = new Map<string, RunEvent>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = FIRST_LOOK_MS;
  let isAllNew = false;
  let lookedAroundMs = 0;
  const ask = (...part: readonly string[]) =>
    void queryCache.invalidateQueries({ queryKey: ["run", id, ...part] });
  const look = () => {
    timer = undefined;
    queryCache.setQueryData(historyKey, [...known.values()]);
    void queryCache.invalidateQueries({ queryKey: ["runs"] });
    if (!jobs.look()) timer = setTimeout(look, waitMs);
    if (isAllNew) ask();
    else ask("graph");
    isAllNew = false;
    if (Date.now() - lookedAroundMs < LOOK_AROUND_MS) return;
    lookedAroundMs = Date.now();
    for (const part of AROUND) ask(part);
  };
  return {
    hear(event: RunEvent) {
      if (event.id !== undefined) known.set(event.id, event);
      if (event.event === "job") jobs.hear(event.data);
      if (event.event === "progress") jobs.hearTotal(jobsSoFar(event.data));
      const before = queryCache.getQueryData(run(id).queryKey);
      const after = before && withNews(before, event);
      if (after) queryCache.setQueryData(run(id).queryKey, after);
      isAllNew ||= event.event === "end" || before?.status !== after?.status;
      timer ??= setTimeout(look, waitMs);
      waitMs = LOOK_EVERY_MS * (0.5 + Math.random() / 2);
    },
    close: () => clearTimeout(timer),
  };
}

/** Returns the current number of jobs. The total of an event also counts future jobs. */
function jobsSoFar({ created, running, finished, failed }: Progress): number {
  return created + running + finished + failed;
}

function withNews(before: RunRecord, event: RunEvent): RunRecord {
  switch (event.event) {
    case "status": {
      const { waiting_for: _, ...rest } = before;
      const { status, waiting_for: waiting } = event.data;
      return { ...rest, status, ...(waiting && { waiting_for: waiting }) };
    }
    case "progress": {
      const { pace: _, ...rest } = before;
      const { pace } = event.data;
      const counts = (["total", "running", "finished", "failed"] as const).map((group) => [
        group,
        { ...before.progress[group], total: event.data[group] },
      ]);
      const progress = { ...before.progress, ...Object.fromEntries(counts) };
      return { ...rest, ...(pace && { pace }), progress };
    }
    case "job": {
      if (event.data.status !== "running") return before;
      const { step, label } = event.data;
      return { ...before, progress: { ...before.progress, current_step_name: step, current_label: label } };
    }
    default:
      return before;
  }
}
