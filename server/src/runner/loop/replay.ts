import type { EngineEvent } from "#engines/engine";
import type { EngineSession } from "#runner/engine/engine-runtime";
import { withJobIds } from "#runner/turn/job-id";
import { accept, freshProgress, note, type Progress } from "#runner/turn/progress";
import { BEGUN, OWN_KINDS } from "#workflow/run/event-kinds";
import { progressFrom } from "#runner/loop/snapshots";
import type { Connection } from "#store/database/database";
import { jobKeysFrom } from "#store/jobs/jobs";
import { type RunEvent, runEventsFrom } from "#store/events/run-events";
import { maybeSnapshot } from "#store/events/run-snapshots";
import type { Run } from "#store/runs/runs";
import type { Job } from "#workflow/job/job";

/**
 * The state of a resumed run. The recorded events are applied again, from the run's snapshot if this version
 * of the engine made the snapshot, otherwise from the start. The jobs issued in the replay are compared with
 * the recorded jobs. If the jobs differ, a newer engine would run jobs again or leave some out: the run has
 * diverged.
 */
export type ResumePoint =
  | { readonly kind: "fresh" }
  | { readonly kind: "begun"; readonly progress: Progress }
  | { readonly kind: "diverged"; readonly reason: string };

/** Maximum number of events in memory. */
const PAGE_EVENTS = 1000;

export async function findResumePoint(
  db: Connection,
  { id, status }: Pick<Run, "id" | "status">,
  session: EngineSession,
): Promise<ResumePoint> {
  // The start is recorded together with the move to `running`.
  return status === "pending" ? { kind: "fresh" } : replay(db, id, session);
}

export async function replay(db: Connection, runId: string, session: EngineSession): Promise<ResumePoint> {
  const { firstOrdinal, ...start } = await startingPoint(db, runId, session);
  let { progress } = start;
  const issued: string[] = [];
  for (let isMore = true; isMore;) {
    const events = await runEventsFrom(db, runId, { seq: progress.nextSeq, limit: PAGE_EVENTS });
    if (events.length === 0) break;
    isMore = events.length === PAGE_EVENTS;
    const begins = events.some((event) => event.kind === BEGUN);
    const forEngine = events.flatMap(engineEventOf);
    const first = begins ? [await session.start()] : [];
    const responses = withJobIds(runId, [...first, ...(await session.apply(forEngine))]);
    for (const one of responses.flat()) {
      if (one.do === "submit" || one.do === "take-over") issued.push(one.job.key);
    }
    // Accepting comes last: many events of a page answer jobs and asks issued in the same page.
    const noted = note({ ...progress, isBegun: progress.isBegun || begins }, responses);
    const { progress: accepted } = accept(
      noted,
      forEngine.map((event) => ({ event })),
    );
    progress = { ...accepted, nextSeq: events.at(-1)!.seq + 1 };
  }
  if (!progress.isBegun) return { kind: "fresh" };
  const reason = difference(await jobKeysFrom(db, runId, firstOrdinal), issued, session.version);
  return reason === undefined ? { kind: "begun", progress } : { kind: "diverged", reason };
}

/** Returns a job that a run has issued, by its key: the last attempt. Undefined if the engine would not issue it again. */
export async function maybeIssuedJob(
  db: Connection,
  runId: string,
  key: string,
  session: EngineSession,
): Promise<Job | undefined> {
  let found: Job | undefined;
  let seq = 0;
  for (;;) {
    const events = await runEventsFrom(db, runId, { seq, limit: PAGE_EVENTS });
    if (events.length === 0) return found;
    const first = events.some((event) => event.kind === BEGUN) ? [await session.start()] : [];
    const responses = [...first, ...(await session.apply(events.flatMap(engineEventOf)))];
    for (const one of responses.flat()) if (one.do === "submit" && one.job.key === key) found = one.job;
    seq = events.at(-1)!.seq + 1;
  }
}

function engineEventOf(event: RunEvent): EngineEvent[] {
  return OWN_KINDS.has(event.kind) ? [] : [event.body as EngineEvent];
}

async function startingPoint(db: Connection, runId: string, session: EngineSession) {
  const snapshot = await maybeSnapshot(db, runId);
  if (snapshot?.engineVersion !== session.version) {
    return { progress: freshProgress(runId, 0), firstOrdinal: 0 };
  }
  await session.restore(snapshot.state);
  return { progress: progressFrom(runId, snapshot), firstOrdinal: snapshot.jobCount };
}

function difference(
  recorded: readonly string[],
  issued: readonly string[],
  version: number,
): string | undefined {
  const at = recorded.findIndex((key, index) => key !== issued[index]);
  if (at === -1 && recorded.length === issued.length) return undefined;
  const place = at === -1 ? recorded.length : at;
  const then = recorded[place] === undefined ? "no further job" : `the job "${recorded[place]}"`;
  const now = issued[place] === undefined ? "no job" : `"${issued[place]}"`;
  return (
    `The workflow engine (version ${version}) would not issue the same jobs again: ` +
    `before it issued ${then}, now ${now}. Nothing was run again. Start a new run of the workflow.`
  );
}
