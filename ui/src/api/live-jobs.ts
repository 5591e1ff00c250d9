import { queryCache } from "./cache.ts";
import { type JobNews, type JobPages, outdatedJobs, withRecords } from "./job-pages.ts";
import { jobRecords } from "./run-asks.ts";

/** Most jobs that are asked for one by one. More are asked for by whole pages. */
const MAX_RECORDS = 100;

/** Keeps the lists of jobs on the screen up to date, and asks only for the jobs that have changed. */
export function liveJobs(run: string) {
  const news = new Map<string, JobNews>();
  return {
    hear: (job: JobNews) => void news.set(job.id, job),
    /** Returns whether everything heard has been looked at. */
    look(): boolean {
      const lists = queryCache.getQueryCache().findAll({ queryKey: ["run", run, "jobs"], type: "active" });
      // An answer that is under way may be older than the news.
      if (lists.some(({ state }) => state.fetchStatus === "fetching")) return news.size === 0;
      const heard = [...news.values()];
      news.clear();
      for (const { queryKey } of lists) void lookAtList(run, queryKey, heard);
      return true;
    },
  };
}

async function lookAtList(run: string, queryKey: readonly unknown[], news: readonly JobNews[]) {
  const list = queryCache.getQueryData<JobPages>(queryKey);
  const wanted = list ? outdatedJobs(list, news) : [];
  if (wanted.length === 0) return;
  if (wanted.length > MAX_RECORDS) return queryCache.invalidateQueries({ queryKey, exact: true });
  const records = await jobRecords(run, wanted);
  const node = queryKey.at(-1);
  const own = records.filter((job) => node === "all" || job.node === node);
  queryCache.setQueryData<JobPages>(queryKey, (before) => before && withRecords(before, own));
}
