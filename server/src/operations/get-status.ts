import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { type LoggedJob, readJobLogs } from "#operations/job-logs";
import { type JobProgress, jobProgress } from "#operations/progress";
import { maybeWaitingFor } from "#operations/waiting-for";
import { jobsOfWorkflow } from "#store/jobs";
import type { Workflow } from "#store/workflows";

export interface Status {
  readonly workflow: Workflow;
  readonly progress: JobProgress;
  readonly waitingFor: string | undefined;
  /** The newest ones. */
  readonly jobs: readonly LoggedJob[];
}

/** A status is asked for again and again: it carries the end of what the newest jobs printed, the logs carry all. */
const MAX_JOBS = 100;
const MAX_LOG_BYTES = 65_536;

export async function getStatus(
  context: Pick<Operations, "db" | "jobLogs" | "limits">,
  caller: Caller,
  address: string,
): Promise<Status> {
  const workflow = await findWorkflow(context.db, caller, address, "see");
  const jobs = await jobsOfWorkflow(context.db, workflow.id);
  const maxBytes = Math.min(MAX_LOG_BYTES, context.limits.maxLogBytesInReply);
  return {
    workflow,
    progress: jobProgress(workflow, jobs),
    waitingFor: await maybeWaitingFor(context.db, workflow, jobs),
    jobs: await readJobLogs(context, workflow, jobs.slice(-MAX_JOBS), maxBytes),
  };
}
