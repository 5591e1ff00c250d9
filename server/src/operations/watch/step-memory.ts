import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { countJobs } from "#store/jobs/jobs";
import { type JobMemory, memoryOfJobs } from "#store/jobs/job-memory";
import type { StepMemory } from "#workflow/job/memory-advice";

/** Maximum number of jobs read per run, newest first. */
const JOBS_MAX = 10_000;
/** Maximum number of steps shown. */
const STEPS_MAX = 1000;

/** Returns the memory used by a run's steps, in starting order. */
export async function getStepMemory(
  context: Pick<WatchServices, "db" | "clock">,
  caller: Caller,
  address: string,
): Promise<readonly StepMemory[]> {
  return stepMemoryOf(context, (await findRun(context, caller, address, "see")).id);
}

/** Returns the memory used by the steps of a run, without a check of access. */
export async function stepMemoryOf({ db }: Pick<WatchServices, "db">, runId: string): Promise<StepMemory[]> {
  const steps = new Map<string, StepMemory>();
  const fromOrdinal = (await countJobs(db, runId)) - JOBS_MAX;
  for await (const jobs of memoryOfJobs(db, { runId, fromOrdinal })) {
    for (const job of jobs) {
      const step = job.name === "" ? job.key.split(".")[0]! : job.name;
      const before = steps.get(step);
      if (before || steps.size < STEPS_MAX) steps.set(step, withJob(step, before, job));
    }
  }
  return [...steps.values()];
}

function withJob(step: string, before: StepMemory | undefined, job: JobMemory): StepMemory {
  const { limitBytes, peakBytes, status } = job;
  const isFinished = status === "finished";
  if (!before) return { step, limitBytes, peakBytes, isWhole: isFinished };
  return {
    step,
    limitBytes: before.limitBytes === limitBytes ? limitBytes : null,
    peakBytes: before.peakBytes === null ? peakBytes : Math.max(before.peakBytes, peakBytes ?? 0),
    isWhole: before.isWhole && isFinished,
  };
}
