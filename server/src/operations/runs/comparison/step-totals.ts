import type { RunServices } from "#operations/runs/services";
import { type JobRecord, pageOfJobs } from "#store/jobs/jobs";
import { isOpenJob, type JobStatus, shownPeak } from "#workflow/job/job";

/** Totals over a step's jobs. */
export interface StepTotals {
  readonly jobs: number;
  readonly takenOver: number;
  readonly status: JobStatus;
  /** Exit code of the last attempt of a job that decided the status. */
  readonly exitCode: number | null;
  readonly reason: string | null;
  /** Time from the first start to the last end. Null until a job has ended. */
  readonly wallMs: number | null;
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
}

/** Number of jobs that are read at a time: a run may have a hundred thousand. */
const PAGE_JOBS = 1000;
/** Statuses by precedence: a step takes the first status found among its unfinished jobs. */
const WORST_FIRST: readonly JobStatus[] = ["running", "created", "failed", "stopped"];

/**
 * Returns the totals by step, in starting order. The key is the step's name, or the position of an unnamed
 * step.
 */
export async function stepTotals(
  { db }: Pick<RunServices, "db">,
  runId: string,
): Promise<ReadonlyMap<string, StepTotals>> {
  const steps = new Map<string, StepSum>();
  for (let offset = 0; ; offset += PAGE_JOBS) {
    const jobs = await pageOfJobs(db, { runId, offset, limit: PAGE_JOBS });
    for (const job of jobs) {
      const step = stepOf(job);
      const sum = steps.get(step) ?? new StepSum();
      steps.set(step, sum);
      sum.add(job);
    }
    if (jobs.length < PAGE_JOBS) break;
  }
  return new Map([...steps].map(([step, sum]) => [step, sum.totals()]));
}

/** Returns the step of a job. `0.1` is the second command of the first step. */
function stepOf({ name, key }: JobRecord): string {
  return name === "" ? key.split(".")[0]! : name;
}

class StepSum {
  #jobs = 0;
  #takenOver = 0;
  #last: JobRecord | undefined;
  /** Jobs whose last attempt has not finished, by key. */
  readonly #unfinished = new Map<string, JobRecord>();
  #startMs: number | null = null;
  #endMs: number | null = null;
  #cpuMs: number | null = null;
  #peakBytes: number | null = null;

  /** Adds a job. Call this in the order of submission. */
  add(job: JobRecord): void {
    this.#last = job;
    if (job.attempt === 1) this.#jobs += 1;
    if (job.takenFrom !== null) this.#takenOver += 1;
    if (job.status === "finished") this.#unfinished.delete(job.key);
    else this.#unfinished.set(job.key, job);
    this.#startMs = least(this.#startMs, job.startedAtMs);
    this.#endMs = most(this.#endMs, job.finishedAtMs);
    if (job.cpuMs !== null) this.#cpuMs = (this.#cpuMs ?? 0) + job.cpuMs;
    this.#peakBytes = most(this.#peakBytes, shownPeak(job));
  }

  totals(): StepTotals {
    const unfinished = [...this.#unfinished.values()];
    const status = WORST_FIRST.find((word) => unfinished.some((job) => job.status === word)) ?? "finished";
    const deciding = unfinished.find((job) => job.status === status) ?? this.#last!;
    return {
      jobs: this.#jobs,
      takenOver: this.#takenOver,
      status,
      exitCode: deciding.exitCode,
      reason: deciding.reason,
      wallMs: this.#wallMs(status),
      cpuMs: this.#cpuMs,
      peakBytes: this.#peakBytes,
    };
  }

  #wallMs(status: JobStatus): number | null {
    const isOver = !isOpenJob(status);
    if (!isOver || this.#startMs === null || this.#endMs === null) return null;
    return Math.max(0, this.#endMs - this.#startMs);
  }
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

function most(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
