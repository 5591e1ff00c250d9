import type { Caller, Operations } from "#operations/context";
import type { JobLogs } from "#operations/stored-logs";
import { findRun } from "#operations/find-run";
import { isLogRemoved, isUnavailable, logOf } from "#operations/watch/logs/job-logs";
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

export interface JobsWanted {
  readonly page: number;
  readonly size: number;
  /** Whether the order is the reverse of the submission's. */
  readonly newestFirst: boolean;
  /** Node of the graph whose jobs are wanted. Absent: all jobs of the run. */
  readonly node?: string;
}

/** Returns one page of a run's jobs. */
export async function listJobs(
  context: Pick<Operations, "db" | "clock" | "jobLogs">,
  caller: Caller,
  address: string,
  { page, size, newestFirst, node }: JobsWanted,
): Promise<Page<ListedJob>> {
  const { db, jobLogs } = context;
  const run = await findRun(context, caller, address, "see");
  const total = await countJobs(db, run.id, node);
  const part = partOf(total, (page - 1) * size, size, newestFirst);
  const jobs = await pageOfJobs(db, { ...part, runId: run.id, ...(node !== undefined && { node }) });
  const isRemoved = await isLogRemoved(db, run);
  const items: ListedJob[] = [];
  for (const job of newestFirst ? jobs.toReversed() : jobs)
    items.push({ job, logBytes: isRemoved ? null : await sizeUnlessAway(jobLogs, job) });
  return { items, total, page, size };
}

/** Returns the place of a page in the order of submission. Jobs that are added later do not move it. */
function partOf(total: number, offset: number, size: number, newestFirst: boolean) {
  if (!newestFirst) return { offset, limit: size };
  const end = Math.max(0, total - offset);
  const from = Math.max(0, end - size);
  return { offset: from, limit: end - from };
}

async function sizeUnlessAway(logs: Pick<JobLogs, "size">, job: JobRecord): Promise<number | null> {
  try {
    return await logs.size(logOf(job));
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
}
