import type { Connection } from "#store/database/database";
import { countJobs, type JobRecord, jobsOfRuns, maybeCurrentJob } from "#store/jobs/jobs";
import { type JobState, newestJobIds, newestJobStates } from "#store/events/run-news";
import type { Run } from "#store/runs/runs";
import { jobsInTotal, type JobStatus } from "#workflow/job/job";

export interface JobGroup {
  readonly total: number;
  /** The newest jobs of the group, at most `MAX_JOB_IDS`, in order of submission. */
  readonly jobIds: readonly string[];
}

/** Progress of a run in numbers of jobs. */
export interface JobProgress {
  /** Expected number of jobs as far as known, and the ids of existing jobs. */
  readonly total: JobGroup;
  readonly running: JobGroup;
  readonly finished: JobGroup;
  /** Failed jobs. Jobs ended by a stop are in no group. */
  readonly failed: JobGroup;
  /** Command of the newest running job, or of the last job if none is running. Null before the first job. */
  readonly currentCommand: string | null;
  readonly currentStepName: string | null;
  /** Label of the current job: the step and, in a scatter, the task. */
  readonly currentLabel: string | null;
}

/** Limit on the ids in a group, because a run may have a hundred thousand jobs and clients poll its status. */
export const MAX_JOB_IDS = 1000;

/**
 * Reads the progress of a run with recently read newest jobs: `MAX_JOB_IDS` jobs, or all jobs of a smaller
 * run.
 */
export async function readProgress(
  db: Connection,
  run: Run,
  newest: readonly JobState[],
): Promise<JobProgress> {
  const current = await maybeCurrentJob(db, run.id);
  if (newest.length < MAX_JOB_IDS) return jobProgress(run, newest, current);
  const idsOf = (status: JobStatus, total: number) =>
    total === 0 ? [] : newestJobIds(db, { runId: run.id, status, limit: MAX_JOB_IDS });
  const { jobsRunning, jobsFinished, jobsFailed } = run;
  return {
    total: {
      total: jobsInTotal(run, await countJobs(db, run.id)),
      jobIds: newest.map(({ id }) => id),
    },
    running: { total: jobsRunning, jobIds: await idsOf("running", jobsRunning) },
    finished: { total: jobsFinished, jobIds: await idsOf("finished", jobsFinished) },
    failed: { total: jobsFailed, jobIds: await idsOf("failed", jobsFailed) },
    ...currentTexts(current),
  };
}

/** Reads the progress of several runs: of all small ones at once. */
export async function progressOfRuns(
  db: Connection,
  runs: readonly Run[],
): Promise<ReadonlyMap<string, JobProgress>> {
  const small = runs.filter(isSmall);
  const jobs = Map.groupBy(
    await jobsOfRuns(
      db,
      small.map(({ id }) => id),
    ),
    (job) => job.runId,
  );
  const progress = new Map<string, JobProgress>();
  for (const run of runs) {
    const all = isSmall(run) && (jobs.get(run.id) ?? []);
    progress.set(
      run.id,
      all
        ? jobProgress(run, all, maybeCurrent(all))
        : await readProgress(db, run, await newestJobStates(db, run.id, MAX_JOB_IDS)),
    );
  }
  return progress;
}

function isSmall({ jobsTotal, jobsRunning, jobsFinished, jobsFailed }: Run): boolean {
  return Math.max(jobsTotal, jobsRunning + jobsFinished + jobsFailed) < MAX_JOB_IDS;
}

/** Counts the jobs of a small run by status. `current` is the newest running job, or the last one that ran. */
export function jobProgress(
  run: Pick<Run, "jobsTotal">,
  jobs: readonly CountedJob[],
  current: CurrentJob | undefined,
): JobProgress {
  return {
    total: { total: jobsInTotal(run, jobs.length), jobIds: newestIds(jobs) },
    running: group(jobs, "running"),
    finished: group(jobs, "finished"),
    failed: group(jobs, "failed"),
    ...currentTexts(current),
  };
}

function currentTexts(current: CurrentJob | undefined) {
  return {
    currentCommand: current?.command ?? null,
    currentStepName: current?.name || null,
    currentLabel: current?.label || null,
  };
}

/**
 * Returns the newest running job, else the last one that ran: REANA keeps naming it after the end of the run. `jobs`
 * are in the order of submission.
 */
export function maybeCurrent<Job extends CountedJob>(jobs: readonly Job[]): Job | undefined {
  return (
    jobs.findLast((job) => job.status === "running") ??
    jobs.findLast((job) => job.status !== "created" && job.status !== "queued")
  );
}

type CurrentJob = Pick<JobRecord, "command" | "name" | "label">;

type CountedJob = Pick<JobRecord, "id" | "status">;

function group(jobs: readonly CountedJob[], status: JobStatus): JobGroup {
  const ofStatus = jobs.filter((job) => job.status === status);
  return { total: ofStatus.length, jobIds: newestIds(ofStatus) };
}

function newestIds(jobs: readonly CountedJob[]): string[] {
  return jobs.slice(-MAX_JOB_IDS).map(({ id }) => id);
}
