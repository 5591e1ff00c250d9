import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { type LoggedJob, readJobLogs } from "#operations/watch/logs/job-logs";
import type { JobProgress } from "#operations/watch/progress/progress";
import { maybeResultsNote } from "#operations/watch/run-results";
import { restartsAfter } from "#operations/watch/restarted-as";
import { maybePace, type Pace } from "#operations/watch/progress/pace";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import { newestJobs } from "#store/jobs/jobs";
import { maybeRunBefore } from "#store/runs/restarts";
import type { Run } from "#store/runs/runs";

export interface Status {
  readonly run: Run;
  readonly progress: JobProgress;
  readonly waitingFor: string | undefined;
  readonly resultsNote: string | undefined;
  /** The newest restart of the run. */
  readonly restartedAs: Run | undefined;
  /** The previous run in the workspace. */
  readonly restartOf: Run | undefined;
  readonly pace: Pace | undefined;
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
  context: Pick<
    WatchServices,
    "db" | "clock" | "jobLogs" | "secrets" | "jobStateCache" | "limits" | "scheduler"
  >,
  caller: Caller,
  address: string,
): Promise<Status> {
  const run = await findRun(context, caller, address, "see");
  const { progress } = await context.jobStateCache.of(run);
  const newest = await newestJobs(context.db, run.id, MAX_JOBS);
  const maxBytes = Math.min(MAX_LOG_BYTES, context.limits.maxLogBytesInReply);
  return {
    run,
    progress,
    waitingFor: await maybeWaitingFor(context.db, run, context.scheduler.hostStatus()),
    resultsNote: await maybeResultsNote(context.db, run),
    restartedAs: (await restartsAfter(context.db, [run]))(run),
    restartOf: await maybeRunBefore(context.db, run),
    pace: await maybePace(context.db, run),
    jobs: await readJobLogs(context, run, newest, maxBytes),
  };
}
