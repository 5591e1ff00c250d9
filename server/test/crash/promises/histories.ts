import { isLive, TRANSITIONS } from "#workflow/run/run-status";
import type { Witness, WitnessedRun } from "../witness.ts";
import { groupBy, type Row, type Rows } from "./rows.ts";

/**
 * P3 and P4: every run has ended, its events are numbered without gaps and have one start and one end, and no status
 * was ever seen to go backwards.
 */
export function wrongHistories(rows: Rows, witness: Witness): string[] {
  const events = groupBy(rows.events, (event) => event.run_id);
  const known = new Set(rows.runs.map((row) => row.id));
  return [
    ...rows.runs.filter((row) => isLive(row.status)).map((row) => `P3: ${row.id} is still ${row.status}.`),
    ...eventsWithGaps(rows),
    ...rows.runs.flatMap((row) => wrongEvents(row, events.get(row.id) ?? [])),
    ...rows.jobs.filter((job) => !known.has(job.run_id)).map((job) => `The job ${job.id} has no run.`),
    ...rows.snapshots.flatMap((one) => wrongSnapshot(one, events.get(one.run_id) ?? [])),
    ...witness.runs.flatMap((run) => seenBackwards(run, rows)),
  ];
}

/** Finds gaps in the events of all runs, including live ones. */
export function eventsWithGaps(rows: Rows): string[] {
  const events = groupBy(rows.events, (event) => event.run_id);
  const withGaps = [...events].filter(([, told]) => told.some((event, index) => event.seq !== index));
  const silent = rows.runs.filter((row) => (row.queued_at !== null) !== events.has(row.id));
  return [
    ...withGaps.map(([id]) => `The run ${id} has gaps in its events.`),
    ...silent.map(({ id, status }) => `The run ${id} is ${status}, and its events tell otherwise.`),
  ];
}

function wrongEvents(row: Row<"runs">, events: readonly Row<"run_events">[]): string[] {
  const told = `The run ${row.id} (${row.status})`;
  const kinds = events.map((event) => event.kind);
  const wrong: string[] = [];
  if (row.queued_at !== null && kinds[0] !== "start") wrong.push(`${told} begins with ${kinds[0]}.`);
  for (const once of ["start", "begun", "ended", "stopped"]) {
    if (kinds.indexOf(once) !== kinds.lastIndexOf(once)) wrong.push(`P2: ${told} tells ${once} twice.`);
  }
  const ends = groupBy(
    // Old events are emptied.
    events.filter(({ kind, body }) => kind === "job-ended" && body !== "{}"),
    (event) => keyOf(event.body),
  );
  for (const [key, told2] of ends) {
    if (told2.length > 1) wrong.push(`P2: ${told} tells the end of the job ${key} ${told2.length} times.`);
  }
  const endedAt = kinds.findIndex((kind) => kind === "ended" || kind === "stopped");
  if (endedAt !== -1 && endedAt !== kinds.length - 1) wrong.push(`P4: ${told} goes on after its end.`);
  return wrong;
}

/** Identifies an attempt of a job, each of which ends once. */
function keyOf(body: string): string {
  const { key, attempt } = JSON.parse(body) as { key: string; attempt?: number };
  return attempt === undefined ? key : `${key} (attempt ${attempt})`;
}

function wrongSnapshot(snapshot: Row<"run_snapshots">, events: readonly Row<"run_events">[]): string[] {
  if (snapshot.seq < events.length) return [];
  return [`The snapshot of ${snapshot.run_id} stands at event ${snapshot.seq} of ${events.length}.`];
}

function seenBackwards(run: WitnessedRun, rows: Rows): string[] {
  const last = rows.runs.find((row) => row.id === run.id)?.status;
  const seen = last === undefined ? run.seen : [...run.seen, last];
  return seen.slice(1).flatMap((status, index) => {
    const before = seen[index]!;
    return canBecome(before, status) ? [] : [`P4: ${run.id} was seen ${before}, and then ${status}.`];
  });
}

/** Returns whether the transitions lead from one status to another, in any number of steps. */
function canBecome(from: string, to: string): boolean {
  return from === to || TRANSITIONS.some((one) => one.from === from && canBecome(one.to, to));
}
