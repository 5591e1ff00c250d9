import type { JobRecord } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";
import { jobsInTotal, type JobStatus } from "#workflow/job";

export interface JobGroup {
  readonly total: number;
  readonly jobIds: readonly string[];
}

/** Progress of a run, by its jobs. */
export interface JobProgress {
  /** Number of jobs that the run will have, as far as known, and the ids of those that exist. */
  readonly total: JobGroup;
  readonly running: JobGroup;
  readonly finished: JobGroup;
  /** Failed jobs. A job that a stop ended is in none of these groups. */
  readonly failed: JobGroup;
  /** Command of the newest running job, or of the last one that ran if none runs; null before the first job. */
  readonly currentCommand: string | null;
  readonly currentStepName: string | null;
}

/** Counts the jobs by status. `current` is what `maybeCurrent` returns. */
export function jobProgress(
  run: Run,
  jobs: readonly CountedJob[],
  current: Pick<JobRecord, "command" | "name"> | undefined,
): JobProgress {
  return {
    total: { total: jobsInTotal(run, jobs.length), jobIds: jobs.map((job) => job.id) },
    running: group(jobs, "running"),
    finished: group(jobs, "finished"),
    failed: group(jobs, "failed"),
    currentCommand: current?.command ?? null,
    currentStepName: current?.name || null,
  };
}

/**
 * Returns the newest running job, else the last one that ran: REANA keeps naming it after the end of the run. `jobs`
 * are in the order of submission.
 */
export function maybeCurrent<Job extends CountedJob>(jobs: readonly Job[]): Job | undefined {
  return jobs.findLast((job) => job.status === "running") ?? jobs.findLast((job) => job.status !== "created");
}

type CountedJob = Pick<JobRecord, "id" | "status">;

function group(jobs: readonly CountedJob[], status: JobStatus): JobGroup {
  const jobIds = jobs.filter((job) => job.status === status).map((job) => job.id);
  return { total: jobIds.length, jobIds };
}
