import type { Job } from "../../../api/run-asks.ts";

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
): { readonly spans: readonly Span[]; readonly beginMs: number; readonly totalMs: number } {
  const begin = Math.min(...jobs.map(({ times_ms: times }) => times.created));
  const times = jobs.map((job) => {
    const { created, started, finished } = job.times_ms;
    const endMs = finished ?? nowMs;
    return { job, createdMs: created, startMs: started ?? endMs, endMs: Math.max(endMs, started ?? created) };
  });
  const totalMs = Math.max(1, ...times.map(({ endMs }) => endMs - begin));
  const spans = times.map(({ job, createdMs, startMs, endMs }) => ({
    job,
    waitShare: [(createdMs - begin) / totalMs, (startMs - createdMs) / totalMs] as const,
    workShare: [(startMs - begin) / totalMs, (endMs - startMs) / totalMs] as const,
    workMs: job.usage.wall_ms ?? endMs - startMs,
  }));
  return { spans, beginMs: begin, totalMs };
}

/**
 * Returns the jobs that decided how long the run took: the one that ended last, the one it waited for that ended last,
 * and so on to the beginning. A job waits for the steps before its own, and for the commands and attempts before it in
 * its step. Where the graph names none of them, as for the report of Snakemake, it waited for the job that ended last
 * before it was created.
 */
export function criticalPath(
  jobs: readonly Job[],
  edges: readonly { readonly from: string; readonly to: string }[],
): ReadonlySet<string> {
  const byNode = Map.groupBy(jobs, ({ node }) => node);
  const before = Map.groupBy(edges, ({ to }) => to);
  const waitedFor = (job: Job) => {
    const isEarlier = (other: Job) =>
      other.id !== job.id && (other.times_ms.finished ?? Infinity) <= job.times_ms.created;
    const ofStepsBefore = (before.get(job.node) ?? []).flatMap(({ from }) => byNode.get(from) ?? []);
    const ofItsStep = byNode.get(job.node)!.filter(isEarlier);
    return lastOf([...ofStepsBefore, ...ofItsStep]) ?? lastOf(jobs.filter(isEarlier));
  };
  const path = new Set<string>();
  for (let job = lastOf(jobs); job && !path.has(job.id); job = waitedFor(job)) path.add(job.id);
  return path;
}

/** Returns the job that ended last. Undefined if none has ended. */
function lastOf(jobs: readonly Job[]): Job | undefined {
  return jobs
    .filter(({ times_ms: times }) => times.finished !== null)
    .reduce<Job | undefined>(
      (last, job) => (last && last.times_ms.finished! > job.times_ms.finished! ? last : job),
      undefined,
    );
}
