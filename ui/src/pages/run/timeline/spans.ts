import type { Job } from "../../../api/asks.ts";
import { timeOf } from "../../../parts/times.ts";

/** When a job waited and worked, in milliseconds of the day and as a share of the whole time. */
export interface Span {
  readonly job: Job;
  readonly waitShare: readonly [from: number, length: number];
  readonly workShare: readonly [from: number, length: number];
  readonly workMs: number;
}

/** Returns the times of the jobs as shares of the time from the first job to the last, or to now. */
export function spansOf(
  jobs: readonly Job[],
  nowMs: number,
): { readonly spans: readonly Span[]; readonly totalMs: number } {
  const begin = Math.min(...jobs.map((job) => timeOf(job.created_at)));
  const times = jobs.map((job) => {
    const createdMs = timeOf(job.created_at);
    const startMs = job.started_at ? timeOf(job.started_at) : undefined;
    const endMs = endOf(job, nowMs);
    return { job, createdMs, startMs: startMs ?? endMs, endMs: Math.max(endMs, startMs ?? createdMs) };
  });
  const totalMs = Math.max(1, ...times.map(({ endMs }) => endMs - begin));
  const spans = times.map(({ job, createdMs, startMs, endMs }) => ({
    job,
    waitShare: [(createdMs - begin) / totalMs, (startMs - createdMs) / totalMs] as const,
    workShare: [(startMs - begin) / totalMs, (endMs - startMs) / totalMs] as const,
    workMs: job.usage.wall_ms ?? endMs - startMs,
  }));
  return { spans, totalMs };
}

function endOf(job: Job, nowMs: number): number {
  if (job.finished_at) return timeOf(job.finished_at);
  // The times of jobs are whole seconds: what ended within one has its duration.
  const startMs = job.started_at ? timeOf(job.started_at) : undefined;
  return startMs !== undefined && job.usage.wall_ms !== null ? startMs + job.usage.wall_ms : nowMs;
}

/**
 * Returns the jobs that decided how long the run took: the one that ended last, the one it waited for that ended last,
 * and so on to the beginning.
 */
export function criticalPath(
  jobs: readonly Job[],
  edges: readonly { readonly from: string; readonly to: string }[],
): ReadonlySet<string> {
  const byNode = Map.groupBy(jobs, ({ node }) => node);
  const before = Map.groupBy(edges, ({ to }) => to);
  const lastOf = (some: readonly Job[]) =>
    some
      .filter((job) => job.finished_at !== null)
      .reduce<Job | undefined>(
        (last, job) => (last && timeOf(last.finished_at!) > timeOf(job.finished_at!) ? last : job),
        undefined,
      );
  const path = new Set<string>();
  const seen = new Set<string>();
  for (let job = lastOf(jobs); job && !seen.has(job.node);) {
    path.add(job.id);
    seen.add(job.node);
    job = lastOf((before.get(job.node) ?? []).flatMap(({ from }) => byNode.get(from) ?? []));
  }
  return path;
}
