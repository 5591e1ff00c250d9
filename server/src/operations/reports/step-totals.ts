import type { JobRecord } from "#store/jobs/jobs";
import { maybeTookMs, shownPeak } from "#workflow/job/job";

/** Totals of the jobs of one step. */
export interface StepTotals {
  readonly step: string;
  jobs: number;
  finished: number;
  failed: number;
  takenOver: number;
  /** Durations of all jobs, summed. */
  wallMs: number;
  /** Undefined if no job was measured. */
  cpuMs: number | undefined;
  peakBytes: number | undefined;
  /** Undefined if no job had GPUs. */
  gpuMs: number | undefined;
  gpuPeakBytes: number | undefined;
  /** Undefined if no job has started. */
  startedAtMs: number | undefined;
  finishedAtMs: number | undefined;
}

/** An image in which jobs ran. */
export interface ImageUse {
  readonly image: string;
  readonly digest: string | null;
  jobs: number;
}

/** Totals of a run's jobs, and the jobs that a report lists. */
export interface JobTotals {
  readonly steps: readonly StepTotals[];
  /** True if steps are left out. */
  readonly hasMoreSteps: boolean;
  readonly images: readonly ImageUse[];
  readonly backends: readonly string[];
  readonly jobs: readonly JobRecord[];
  readonly count: number;
  readonly cpuMs: number;
  /** Peak memory times duration, summed over all jobs. */
  readonly gibMs: number;
  /** Number of jobs that ran here but have no measured memory. */
  readonly unmeasured: number;
}

interface Limits {
  readonly jobs: number;
  readonly steps: number;
  readonly images: number;
}

const GIB = 2 ** 30;

/**
 * Reads all jobs once. Lists the first jobs, and of the others only those that failed, as far as the limit allows. Half
 * of the places are kept for failed jobs.
 */
export async function totalsOf(jobs: AsyncIterable<JobRecord>, limits: Limits): Promise<JobTotals> {
  const steps = new Map<string, StepTotals>();
  const images = new Map<string, ImageUse>();
  const backends = new Set<string>();
  const [first, failed]: [JobRecord[], JobRecord[]] = [[], []];
  const sums = { count: 0, cpuMs: 0, gibMs: 0, unmeasured: 0, hasMoreSteps: false };
  for await (const job of jobs) {
    sums.count += 1;
    if (job.status === "failed" && failed.length < limits.jobs / 2) failed.push(job);
    else if (first.length < limits.jobs) first.push(job);
    backends.add(job.backend);
    countImage(images, job, limits.images);
    const step = stepOf(steps, job, limits.steps);
    if (step) addTo(step, job);
    else sums.hasMoreSteps = true;
    addUse(sums, job);
  }
  const listed = [...first.slice(0, limits.jobs - failed.length), ...failed];
  return {
    ...sums,
    steps: [...steps.values()],
    images: [...images.values()],
    backends: [...backends].toSorted(),
    jobs: listed.toSorted((one, other) => one.ordinal - other.ordinal),
  };
}

function stepOf(steps: Map<string, StepTotals>, job: JobRecord, max: number): StepTotals | undefined {
  const name = job.name === "" ? job.node : job.name;
  const known = steps.get(name);
  if (known || steps.size >= max) return known;
  const step: StepTotals = {
    step: name,
    jobs: 0,
    finished: 0,
    failed: 0,
    takenOver: 0,
    wallMs: 0,
    cpuMs: undefined,
    peakBytes: undefined,
    gpuMs: undefined,
    gpuPeakBytes: undefined,
    startedAtMs: undefined,
    finishedAtMs: undefined,
  };
  steps.set(name, step);
  return step;
}

function addTo(step: StepTotals, job: JobRecord): void {
  step.jobs += 1;
  if (job.takenFrom !== null) {
    step.takenOver += 1;
    return;
  }
  if (job.status === "finished") step.finished += 1;
  if (job.status === "failed") step.failed += 1;
  step.wallMs += maybeTookMs(job) ?? 0;
  if (job.cpuMs !== null) step.cpuMs = (step.cpuMs ?? 0) + job.cpuMs;
  const peak = shownPeak(job);
  if (peak !== null) step.peakBytes = Math.max(step.peakBytes ?? 0, peak);
  if (job.gpuMs !== null) step.gpuMs = (step.gpuMs ?? 0) + job.gpuMs;
  if (job.gpuPeakBytes !== null) step.gpuPeakBytes = Math.max(step.gpuPeakBytes ?? 0, job.gpuPeakBytes);
  if (job.startedAtMs !== null) step.startedAtMs = Math.min(step.startedAtMs ?? Infinity, job.startedAtMs);
  if (job.finishedAtMs !== null) step.finishedAtMs = Math.max(step.finishedAtMs ?? 0, job.finishedAtMs);
}

function countImage(images: Map<string, ImageUse>, { image, imageDigest }: JobRecord, max: number): void {
  if (image === null) return;
  const key = `${image} ${imageDigest}`;
  const known = images.get(key);
  if (known) known.jobs += 1;
  else if (images.size < max) images.set(key, { image, digest: imageDigest, jobs: 1 });
}

function addUse(sums: { cpuMs: number; gibMs: number; unmeasured: number }, job: JobRecord): void {
  const tookMs = maybeTookMs(job);
  if (job.takenFrom !== null || tookMs === undefined) return;
  sums.cpuMs += job.cpuMs ?? 0;
  const peak = shownPeak(job);
  if (peak === null) sums.unmeasured += 1;
  else sums.gibMs += (peak / GIB) * tookMs;
}
