import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { isUnreadable, type JobLogs } from "#operations/stored-logs";
import { findRun } from "#operations/find-run";
import { isLogRemoved, logOf } from "#operations/watch/logs/job-logs";
import { shownCommand } from "#operations/watch/shown-command";
import type { Page } from "#operations/page";
import type { Connection } from "#store/database/database";
import { type JobFilter, matchingJobs } from "#store/jobs/filtered-jobs";
import { countJobs, type JobRecord, jobsWithIds, pageOfJobs } from "#store/jobs/jobs";
import type { Run } from "#store/runs/runs";

export interface ListedJob {
  readonly job: JobRecord;
  /**
   * Number of bytes printed by the job so far. Null after the removal of the log with its run, and while the
   * backend is away.
   */
  readonly logBytes: number | null;
  /** Command in readable form. */
  readonly shownCommand: string;
}

export interface JobsQuery {
  readonly page: number;
  readonly size: number;
  /** True if the order is the reverse of the submission's. */
  readonly newestFirst: boolean;
  /** An empty filter means all jobs of the run. */
  readonly filter: JobFilter;
}

type JobsContext = Pick<WatchServices, "db" | "clock" | "jobLogs" | "workspaces">;

/** Returns a page of a run's jobs. */
export async function listJobs(
  context: JobsContext,
  caller: Caller,
  address: string,
  query: JobsQuery,
): Promise<Page<ListedJob>> {
  const { page, size, newestFirst } = query;
  const run = await findRun(context, caller, address, "see");
  const { jobs, total } = await jobsOnPage(context.db, run.id, query);
  const items = await listed(context, run, newestFirst ? jobs.toReversed() : jobs);
  return { items, total, page, size };
}

/** Returns the jobs of a page in order of submission. Counters say how many a whole run or a node has. */
async function jobsOnPage(db: Connection, runId: string, { page, size, newestFirst, filter }: JobsQuery) {
  const { node, ...others } = filter;
  const offset = (page - 1) * size;
  if (Object.keys(others).length > 0)
    return matchingJobs(db, runId, filter, { offset, limit: size, newestFirst });
  const total = await countJobs(db, runId, node);
  const part = partOf(total, offset, size, newestFirst);
  return { jobs: await pageOfJobs(db, { ...part, runId, ...(node !== undefined && { node }) }), total };
}

/** Returns a run's jobs with the given ids, on one page, in the order of submission. */
export async function listNamedJobs(
  context: JobsContext,
  caller: Caller,
  address: string,
  ids: readonly string[],
): Promise<Page<ListedJob>> {
  const run = await findRun(context, caller, address, "see");
  const items = await listed(context, run, await jobsWithIds(context.db, run.id, ids));
  return { items, total: items.length, page: 1, size: Math.max(1, items.length) };
}

async function listed(
  { db, jobLogs, workspaces }: JobsContext,
  run: Run,
  jobs: readonly JobRecord[],
): Promise<ListedJob[]> {
  const isRemoved = await isLogRemoved(db, run);
  const workspaceFolder = workspaces.of(run.workspaceId).folder;
  const items: ListedJob[] = [];
  for (const job of jobs) {
    const logBytes = isRemoved ? null : await sizeIfReadable(jobLogs, job);
    items.push({ job, logBytes, shownCommand: shownCommand(job.command, { workspaceFolder, key: job.key }) });
  }
  return items;
}

/** Returns the place of a page in the order of submission. Jobs that are added later do not move it. */
function partOf(total: number, offset: number, size: number, newestFirst: boolean) {
  if (!newestFirst) return { offset, limit: size };
  const end = Math.max(0, total - offset);
  const from = Math.max(0, end - size);
  return { offset: from, limit: end - from };
}

async function sizeIfReadable(logs: Pick<JobLogs, "size">, job: JobRecord): Promise<number | null> {
  try {
    return await logs.size(logOf(job));
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}
