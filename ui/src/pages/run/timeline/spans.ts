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
 * Returns the critical path of a run: the last job to end, its last-ending predecessor, and so on back to the
 * beginning. A job's predecessors are the jobs of preceding steps, and the preceding commands and attempts in
 * its own step. If the graph has no predecessor of a job, as for Snakemake's report, the last job that ended
 * before its creation counts.
 */
export function criticalPath(
  jobs: readonly Job[],
  edges: readonly { readonly from: string; readonly to: string }[],
): ReadonlySet<string> {
  const ended = jobs.filter(hasEnded).toSorted(byEnd);
  const byNode = Map.groupBy(ended, ({ node }) => node);
  const before = Map.groupBy(edges, ({ to }) => to);
  const waitedFor = (job: EndedJob) => {
    const isEarlier = (other: EndedJob) =>
      other.times_ms.finished <= job.times_ms.created && other.id !== job.id;
    const ofStepsBefore = (before.get(job.node) ?? []).map(({ from }) => byNode.get(from)?.at(-1));
    const ofItsStep = byNode.get(job.node)!.findLast(isEarlier);
    const candidates = [...ofStepsBefore, ofItsStep].filter((other) => other !== undefined);
    return candidates.toSorted(byEnd).at(-1) ?? ended.findLast(isEarlier);
  };
  const path = new Set<string>();
  for (let job = ended.at(-1); job && !path.has(job.id); job = waitedFor(job)) path.add(job.id);
  return path;
}

type EndedJob = Job & { readonly times_ms: { readonly finished: number } };

const hasEnded = (job: Job): job is EndedJob => job.times_ms.finished !== null;

const byEnd = (one: EndedJob, other: EndedJob) => one.times_ms.finished - other.times_ms.finished;
