import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { type LoggedJob, readJobLogs } from "#operations/watch/job-logs";
import { type JobProgress, jobProgress, maybeCurrent } from "#operations/watch/progress";
import { maybeResultsNote } from "#operations/watch/run-results";
import { maybeWaitingFor } from "#operations/watch/waiting-for";
import type { Connection } from "#store/database";
import { type JobRecord, maybeJob, pageOfJobs } from "#store/jobs";
import type { JobState } from "#store/run-news";
import type { Workflow } from "#store/workflows";

export interface Status {
  readonly workflow: Workflow;
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
  context: Pick<Operations, "db" | "jobLogs" | "secrets" | "jobStandings" | "limits" | "scheduler">,
  caller: Caller,
  address: string,
): Promise<Status> {
  const workflow = await findWorkflow(context.db, caller, address, "see");
  const states = await context.jobStandings.of(workflow);
  const offset = Math.max(0, states.length - MAX_JOBS);
  const newest = await pageOfJobs(context.db, { workflowId: workflow.id, offset, limit: MAX_JOBS });
  const maxBytes = Math.min(MAX_LOG_BYTES, context.limits.maxLogBytesInReply);
  return {
    workflow,
    progress: jobProgress(workflow, states, await maybeCurrentJob(context.db, workflow, states, newest)),
    waitingFor: await maybeWaitingFor(context.db, workflow, states, context.scheduler.hostStatus()),
    resultsNote: await maybeResultsNote(context.db, workflow),
    jobs: await readJobLogs(context, workflow, newest, maxBytes),
  };
}

/** Reads the current job only if it is not among the newest: many others may wait behind it. */
async function maybeCurrentJob(
  db: Connection,
  workflow: Workflow,
  states: readonly JobState[],
  newest: readonly JobRecord[],
): Promise<JobRecord | undefined> {
  const current = maybeCurrent(states);
  if (!current) return undefined;
  return newest.find(({ id }) => id === current.id) ?? maybeJob(db, workflow.id, current.id);
}
