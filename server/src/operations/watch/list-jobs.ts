import type { Caller, Operations } from "#operations/context";
import type { JobLogs } from "#operations/stored-logs";
import { findRun } from "#operations/find-run";
import { isLogRemoved, isUnavailable, logOf } from "#operations/watch/job-logs";
import type { Page } from "#operations/page";
import { countJobs, type JobRecord, pageOfJobs } from "#store/jobs/jobs";

export interface ListedJob {
  readonly job: JobRecord;
  /**
   * Number of bytes that the job has printed so far; null once its log was removed with its run, and while its backend is
   * away.
   */
  readonly logBytes: number | null;
}

/** Returns one page of a run's jobs, in the order of submission. */
export async function listJobs(
  context: Pick<Operations, "db" | "jobLogs">,
  caller: Caller,
  address: string,
  { page, size }: { readonly page: number; readonly size: number },
): Promise<Page<ListedJob>> {
  const { db, jobLogs } = context;
  const run = await findRun(db, caller, address, "see");
  const part = { runId: run.id, offset: (page - 1) * size, limit: size };
  const jobs = await pageOfJobs(db, part);
  const isRemoved = await isLogRemoved(db, run);
  const items: ListedJob[] = [];
  for (const job of jobs)
    items.push({ job, logBytes: isRemoved ? null : await sizeUnlessAway(jobLogs, job) });
  return { items, total: await countJobs(db, run.id), page, size };
}

async function sizeUnlessAway(logs: Pick<JobLogs, "size">, job: JobRecord): Promise<number | null> {
  try {
    return await logs.size(logOf(job));
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
}
