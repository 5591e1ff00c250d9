import type { Ending } from "#engines/engine";
import type { LogEntry } from "#runner/engine/engine-log";
import type { Progress } from "#runner/turn/progress";
import { type EndedJob, emptyRecord, type JobStamps, type RunRecord } from "#runner/turn/record";
import { ENDED, STOPPED } from "#workflow/run/event-kinds";

/** The end of a run. */
export interface Closing {
  /** True if jobs may be left. They are ended and proved gone before the end is recorded. */
  readonly hasJobs: boolean;
  readonly record: RunRecord;
}

export function closingStopped(progress: Progress): Closing {
  const line: LogEntry = { logger: "root", level: "INFO", line: "The run was stopped." };
  return closing(progress, STOPPED, [line], { moveTo: "stopped" });
}

/** Ends a run by the decision of its engine, even if jobs are still running. */
export function closingDecided(progress: Progress, ending: Ending): Closing {
  return closing(progress, ENDED, [], { ending });
}

/** Fails a run that this server cannot continue, without running any job again. */
export function closingRefused(progress: Progress, reason: string): Closing {
  const line: LogEntry = { logger: "root", level: "ERROR", line: reason };
  // Only a running run can fail.
  const moveTo = progress.isBegun ? undefined : "running";
  return closing(progress, ENDED, [line], { moveTo, ending: { do: "fail", reason } });
}

function closing(
  progress: Progress,
  kind: string,
  lines: readonly LogEntry[],
  how: Pick<RunRecord, "moveTo" | "ending">,
): Closing {
  const event = { kind, body: { ended: [] }, lines };
  return { hasJobs: true, record: { ...emptyRecord(progress), events: [event], ...how } };
}

/** Adds the ends and the files of the ended jobs to the first event of a record that ends a run. */
export function withEndedJobs(
  record: RunRecord,
  jobs: readonly EndedJob[],
  stamps: readonly JobStamps[],
): RunRecord {
  const ended = jobs.map((job) => ({ ...job, seq: record.firstSeq }));
  const body = { ended: jobs.map(({ id: _, ...job }) => job) };
  const [first, ...others] = record.events;
  return { ...record, events: first ? [{ ...first, body }, ...others] : [], ended, stamps };
}
