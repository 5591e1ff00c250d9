import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { countJobs } from "#store/jobs";
import { openJobStates } from "#store/run-news";
import type { Workflow } from "#store/workflows";
import { isLive } from "#workflow/run-status";
import type { JobStatus } from "#workflow/job";

export interface RunUsage {
  /** Time from queueing to the start, then from the start to the end, or to now. Undefined until each begins. */
  readonly queuedMs: number | undefined;
  readonly wallMs: number | undefined;
  /** Processor time of the jobs that have ended, as far as backends could measure it. */
  readonly cpuMs: number;
  readonly jobs: Readonly<Record<JobStatus | "total", number>>;
  /** Undefined if the workspace has too many files to count in a request, or was removed. */
  readonly workspaceBytes: number | undefined;
}

/** Number of files that can be counted in some milliseconds. Larger workspaces are counted only on explicit request. */
const FILES_IN_PASSING = 1000;

/** Returns what a run has used so far, read from maintained counters and an index. */
export async function getUsage(
  context: Pick<Operations, "db" | "clock" | "workspaces">,
  caller: Caller,
  address: string,
): Promise<RunUsage> {
  const { db, clock, workspaces } = context;
  const workflow = await findWorkflow(db, caller, address, "see");
  const workspaceBytes =
    workflow.status === "deleted"
      ? undefined
      : await workspaces.maybeUsedBytes(workflow.workspaceId, FILES_IN_PASSING);
  return {
    ...timesOf(workflow, clock.now()),
    cpuMs: workflow.cpuMs,
    jobs: await jobCounts(context, workflow),
    workspaceBytes,
  };
}

export function timesOf(workflow: Workflow, nowMs: number): Pick<RunUsage, "queuedMs" | "wallMs"> {
  const { queuedAtMs, startedAtMs } = workflow;
  const untilMs = isLive(workflow.status) ? nowMs : (workflow.finishedAtMs ?? workflow.stoppedAtMs);
  return {
    queuedMs: between(queuedAtMs, startedAtMs ?? untilMs),
    wallMs: between(startedAtMs, untilMs),
  };
}

/** The clock may have been set back: clamp, so that no duration is negative. */
function between(fromMs: number | null, toMs: number | null): number | undefined {
  return fromMs === null || toMs === null ? undefined : Math.max(0, toMs - fromMs);
}

async function jobCounts({ db }: Pick<Operations, "db">, workflow: Workflow): Promise<RunUsage["jobs"]> {
  const open = await openJobStates(db, workflow.id);
  const total = await countJobs(db, workflow.id);
  const running = open.filter(({ status }) => status === "running").length;
  const { jobsFinished: finished, jobsFailed: failed } = workflow;
  const stopped = Math.max(0, total - open.length - finished - failed);
  return { total, created: open.length - running, running, finished, failed, stopped };
}
