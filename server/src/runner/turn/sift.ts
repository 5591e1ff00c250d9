import type { Arrival, ArrivedEvent } from "#runner/turn/arrivals";
import { type Closing, closingRefused, closingStopped } from "#runner/turn/closing";
import type { IssuedJob } from "#runner/turn/job-id";
import { accept, type Progress } from "#runner/turn/progress";
import type { NewEvent } from "#runner/turn/record";
import { BEGUN } from "#workflow/run/event-kinds";

/** The relevant arrivals, sorted by effect. */
export interface Sifted {
  readonly before: Progress;
  /** The run without the jobs and asks that are answered now. */
  readonly progress: Progress;
  /** The events to record, to each of which the engine responds. */
  readonly happened: readonly NewEvent[];
  /** Formerly waiting jobs that now have capacity. */
  readonly admitted: readonly IssuedJob[];
  /** Set if the run ends without asking the engine. */
  readonly closing?: Closing | undefined;
}

/** Classifies arrivals, and drops events about jobs and asks that are not outstanding. */
export function sift(before: Progress, arrivals: readonly Arrival[]): Sifted {
  const nothing = { before, progress: before, happened: [], admitted: [] };
  const closing = arrivals.map((arrival) => closingFor(before, arrival)).find((one) => one !== undefined);
  // Other arrivals are dropped: closing the run ends its jobs and records how each ended, and answers no
  // longer count.
  if (closing) return { ...nothing, closing };
  if (mayBegin(before, arrivals)) return { ...nothing, happened: [{ kind: BEGUN, body: null }] };
  const { progress, accepted } = accept(
    before,
    arrivals.filter((one) => one.kind === "event"),
  );
  const isOutstanding = ({ id, job }: IssuedJob) => progress.jobs.get(job.key)?.id === id;
  return {
    before,
    progress,
    happened: accepted.map((arrived) => newEventOf(before, arrived)),
    admitted: arrivals.flatMap((one) => (one.kind === "admitted" ? [one.job] : [])).filter(isOutstanding),
  };
}

function closingFor(progress: Progress, arrival: Arrival): Closing | undefined {
  if (arrival.kind === "stop") return closingStopped(progress);
  return arrival.kind === "hopeless" ? closingRefused(progress, arrival.reason) : undefined;
}

/** A waiting run may begin as soon as one of its first jobs has capacity. */
function mayBegin({ beginning }: Progress, arrivals: readonly Arrival[]): boolean {
  return arrivals.some(({ kind }) => kind === "begin" || (kind === "admitted" && beginning !== undefined));
}

function newEventOf(before: Progress, { event, stamps, contents }: ArrivedEvent): NewEvent {
  const { kind } = event;
  if (kind !== "job-ended") return { kind, body: event, contents };
  const { key, attempt, end } = event;
  const { id } = before.jobs.get(key)!;
  return {
    kind,
    body: event,
    ended: { id, key, ...(attempt !== undefined && { attempt }), end },
    stamps,
    contents,
  };
}
