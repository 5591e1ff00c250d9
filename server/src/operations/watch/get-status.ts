import type { Caller, Operations } from "#operations/context";
import { findRun } from "#operations/find-run";
import { type LoggedJob, readJobLogs } from "#operations/watch/job-logs";
import { type JobProgress, jobProgress, maybeCurrent } from "#operations/watch/progress";
import { maybeResultsNote } from "#operations/watch/run-results";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import type { Connection } from "#store/database/database";
import { type JobRecord, maybeJob, pageOfJobs } from "#store/jobs/jobs";
import type { JobState } from "#store/events/run-news";
import type { Run } from "#store/runs/runs";

export interface Status {
  readonly run: Run;
  readonly progress: JobProgress;
  readonly waitingFor: string | undefined;
  readonly resultsNote: string | undefined;
  /** The newest jobs. */
  readonly jobs: readonly LoggedJob[];
}

/**
 * Limits on the job logs in a status. Clients poll the status, so it has only the end of what the newest jobs printed;
 * `getLogs` returns all.
 */
const MAX_JOBS = 20;
const MAX_LOG_BYTES = 65_536;

export async function getStatus(
  context: Pick<Operations, "db" | "jobLogs" | "secrets" | "jobStateCache" | "limits" | "scheduler">,
  caller: Caller,
  address: string,
): Promise<Status> {
  const run = await findRun(context.db, caller, address, "see");
  const states = await context.jobStateCache.of(run);
  const offset = Math.max(0, states.length - MAX_JOBS);
  const newest = await pageOfJobs(context.db, { runId: run.id, offset, limit: MAX_JOBS });
  const maxBytes = Math.min(MAX_LOG_BYTES, context.limits.maxLogBytesInReply);
  return {
    run,
    progress: jobProgress(run, states, await maybeCurrentJob(context.db, run, states, newest)),
    waitingFor: await maybeWaitingFor(context.db, run, states, context.scheduler.hostStatus()),
    resultsNote: await maybeResultsNote(context.db, run),
    jobs: await readJobLogs(context, run, newest, maxBytes),
  };
}

/** Reads the current job only if it is not among the newest: many others may wait behind it. */
async function maybeCurrentJob(
  db: Connection,
  run: Run,
  states: readonly JobState[],
  newest: readonly JobRecord[],
): Promise<JobRecord | undefined> {
  const current = maybeCurrent(states);
  if (!current) return undefined;
  return newest.find(({ id }) => id === current.id) ?? maybeJob(db, run.id, current.id);
}
