import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";
import { findRun } from "#operations/find-run";
import { stepMemoryOf } from "#operations/watch/step-memory";
import { countJobs } from "#store/jobs/jobs";
import { openJobStates } from "#store/events/run-news";
import type { Run } from "#store/runs/runs";
import { isLive } from "#workflow/run/run-status";
import type { RecordedJobStatus } from "#workflow/job/job";
import type { StepMemory } from "#workflow/job/memory-advice";

export interface RunUsage {
  /** Time from queueing to the start, then from the start to the end, or to now. Undefined until each begins. */
  readonly queuedMs: number | undefined;
  readonly wallMs: number | undefined;
  /** Processor time of the ended jobs, as far as measured by backends. */
  readonly cpuMs: number;
  readonly jobs: Readonly<Record<RecordedJobStatus | "total", number>>;
  /** Memory by step. */
  readonly memory: readonly StepMemory[];
  /** Undefined if the workspace has too many files to count in a request, or was removed. */
  readonly workspaceBytes: number | undefined;
}

/** Number of files that can be counted in some milliseconds. Larger workspaces are counted only on explicit request. */
const FILES_IN_PASSING = 1000;

/** Returns what a run has used so far, from maintained counters, an index, and the newest jobs. */
export async function getUsage(
  context: Pick<WatchServices, "db" | "clock" | "workspaces">,
  caller: Caller,
  address: string,
): Promise<RunUsage> {
  const { clock, workspaces } = context;
  const run = await findRun(context, caller, address, "see");
  const workspaceBytes =
    run.status === "deleted"
      ? undefined
      : await workspaces.of(run.workspaceId).maybeUsedBytes(FILES_IN_PASSING);
  return {
    ...timesOf(run, clock.now()),
    cpuMs: run.cpuMs,
    jobs: await jobCounts(context, run),
    memory: await stepMemoryOf(context, run.id),
    workspaceBytes,
  };
}

export function timesOf(run: Run, nowMs: number): Pick<RunUsage, "queuedMs" | "wallMs"> {
  const { queuedAtMs, startedAtMs } = run;
  const untilMs = isLive(run.status) ? nowMs : (run.finishedAtMs ?? run.stoppedAtMs);
  return {
    queuedMs: between(queuedAtMs, startedAtMs ?? untilMs),
    wallMs: between(startedAtMs, untilMs),
  };
}

/** Returns the time from a run's start to its end. Undefined before the end, or if the run never started. */
export function maybeRunTookMs(run: Run): number | undefined {
  return isLive(run.status) ? undefined : between(run.startedAtMs, run.finishedAtMs ?? run.stoppedAtMs);
}

/** The clock may have been set back: clamp to avoid negative durations. */
function between(fromMs: number | null, toMs: number | null): number | undefined {
  return fromMs === null || toMs === null ? undefined : Math.max(0, toMs - fromMs);
}

async function jobCounts({ db }: Pick<WatchServices, "db">, run: Run): Promise<RunUsage["jobs"]> {
  const open = await openJobStates(db, run.id);
  const total = await countJobs(db, run.id);
  const running = open.filter(({ status }) => status === "running").length;
  const { jobsFinished: finished, jobsFailed: failed } = run;
  const stopped = Math.max(0, total - open.length - finished - failed);
  return { total, created: open.length - running, running, finished, failed, stopped };
}
