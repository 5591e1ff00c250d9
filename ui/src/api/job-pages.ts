import type { InfiniteData } from "@tanstack/react-query";
import type { components } from "reprise-sdk";

/** Changes to the pages of the job list that have been loaded so far. */

type Job = components["schemas"]["Job"];
export type JobPages = InfiniteData<components["schemas"]["JobPage"], number>;

/**
 * Filters of a job list: a node of the graph, a status, or a text. Without filters, the list has all jobs of
 * the run.
 */
export interface JobsWanted {
  readonly node?: string;
  readonly status?: Job["status"];
  readonly search?: string;
}

/** The id and the status of a job, from an event. */
export type JobNews = Pick<Job, "id" | "status">;

export const JOBS_PER_PAGE = 500;

/**
 * Returns the ids of jobs whose records are missing or outdated. Jobs after the end of a partial list do not
 * count as missing.
 */
export function outdatedJobs({ pages }: JobPages, news: Iterable<JobNews>): string[] {
  const known = new Map(pages.flatMap(({ items }) => items.map(({ id, status }) => [id, status])));
  const isWhole = !pages.at(-1)!.has_next;
  const isOutdated = ({ id, status }: JobNews) => (known.has(id) ? known.get(id) !== status : isWhole);
  return [...news].filter(isOutdated).map(({ id }) => id);
}

/** Returns the list with these records in place of older ones, and with new jobs at the end. */
export function withRecords(list: JobPages, records: readonly Job[]): JobPages {
  const rest = new Map(records.map((job) => [job.id, job]));
  const taken = (job: Job): Job => {
    const newer = rest.get(job.id);
    rest.delete(job.id);
    return newer ?? job;
  };
  const pages = list.pages.map((page) => ({ ...page, items: page.items.map(taken) }));
  const last = pages.at(-1)!;
  const added = last.has_next ? [] : [...rest.values()];
  const room = Math.max(0, JOBS_PER_PAGE - last.items.length);
  last.items.push(...added.slice(0, room));
  last.has_next ||= added.length > room;
  return { ...list, pages: pages.map((page) => ({ ...page, total: page.total + added.length })) };
}

/** Returns the list with the current number of jobs of a live run. A complete list counts its jobs itself. */
export function withTotal(list: JobPages, total: number): JobPages {
  const [first] = list.pages;
  if (!list.pages.at(-1)!.has_next || total <= first!.total) return list;
  return { ...list, pages: list.pages.map((page) => ({ ...page, total })) };
}
