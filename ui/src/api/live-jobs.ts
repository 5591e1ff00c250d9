import { queryCache } from "./cache.ts";
import {
  type JobNews,
  type JobPages,
  type JobsWanted,
  outdatedJobs,
  withRecords,
  withTotal,
} from "./job-pages.ts";
import { jobRecords } from "./run-asks.ts";

/** Limit on jobs requested by id. If more jobs have changed, whole pages are requested. */
const MAX_RECORDS = 100;

/** Keeps the lists of jobs on the screen up to date, and asks only for the jobs that have changed. */
export function liveJobs(run: string) {
  const ofRun = { queryKey: ["run", run, "jobs"] };
  const news = new Map<string, JobNews>();
  let total = 0;
  return {
    hear: (job: JobNews) => void news.set(job.id, job),
    hearTotal: (count: number) => void (total = count),
    /** Returns whether everything heard has been looked at. */
    look(): boolean {
      const lists = queryCache.getQueryCache().findAll({ ...ofRun, type: "active" });
      // An answer that is under way may be older than the news.
      if (lists.some(({ state }) => state.fetchStatus === "fetching")) return news.size === 0;
      const heard = [...news.values()];
      news.clear();
      // Hidden lists are requested when they are shown again.
      void queryCache.invalidateQueries({ ...ofRun, type: "inactive", refetchType: "none" });
      const keep = () => {
        for (const job of heard) if (!news.has(job.id)) news.set(job.id, job);
      };
      if (heard.length > 0) void queryCache.invalidateQueries({ queryKey: ["run", run, "job"] });
      // The events that follow a reconnection lead to another look.
      for (const { queryKey } of lists) lookAtList(run, queryKey, { heard, total }).catch(keep);
      return true;
    },
  };
}

interface Heard {
  readonly heard: readonly JobNews[];
  /** Number of jobs by now. */
  readonly total: number;
}

async function lookAtList(run: string, queryKey: readonly unknown[], { heard, total }: Heard): Promise<void> {
  const { node, status, search } = queryKey.at(-1) as JobsWanted;
  const list = queryCache.getQueryData<JobPages>(queryKey);
  if (!list) return;
  // Only the server knows which jobs match now.
  if (status !== undefined || search !== undefined) {
    if (heard.length > 0) await queryCache.invalidateQueries({ queryKey, exact: true });
    return;
  }
  const counted = node === undefined ? withTotal(list, total) : list;
  if (counted !== list) queryCache.setQueryData(queryKey, counted);
  const wanted = outdatedJobs(list, heard);
  if (wanted.length === 0) return;
  if (wanted.length > MAX_RECORDS) return queryCache.invalidateQueries({ queryKey, exact: true });
  const records = await jobRecords(run, wanted);
  const own = records.filter((job) => node === undefined || job.node === node);
  queryCache.setQueryData<JobPages>(queryKey, (before) => before && withRecords(before, own));
}
