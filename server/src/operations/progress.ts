import type { JobRecord } from "#store/jobs";
import type { Workflow } from "#store/workflows";
import type { JobStatus } from "#workflow/job";

export interface JobGroup {
  readonly total: number;
  readonly jobIds: readonly string[];
}

/** How far a run has come, by its jobs. */
export interface JobProgress {
  /** As many jobs as the run will have as far as is known; the ids of those that exist. */
  readonly total: JobGroup;
  readonly running: JobGroup;
  readonly finished: JobGroup;
  /** Jobs that a stop ended are in none of these groups. */
  readonly failed: JobGroup;
  /** Of the job that was handed out last among those that run; null while none does. */
  readonly currentCommand: string | null;
  readonly currentStepName: string | null;
}

/** `current` is the job that was handed out last among those that run. */
export function jobProgress(
  workflow: Workflow,
  jobs: readonly JobStanding[],
  current: Pick<JobRecord, "command" | "name"> | undefined,
): JobProgress {
  return {
    total: { total: Math.max(workflow.jobsTotal, jobs.length), jobIds: jobs.map((job) => job.id) },
    running: group(jobs, "running"),
    finished: group(jobs, "finished"),
    failed: group(jobs, "failed"),
    currentCommand: current?.command ?? null,
    currentStepName: current?.name || null,
  };
}

/** The one that counts as current, among jobs in the order of submission. */
export function maybeCurrent<Job extends JobStanding>(jobs: readonly Job[]): Job | undefined {
  return jobs.findLast((job) => job.status === "running");
}

type JobStanding = Pick<JobRecord, "id" | "status">;

function group(jobs: readonly JobStanding[], status: JobStatus): JobGroup {
  const jobIds = jobs.filter((job) => job.status === status).map((job) => job.id);
  return { total: jobIds.length, jobIds };
}
