import type { Caller, Operations } from "#operations/context";
import { findWorkflow } from "#operations/find-workflow";
import { countJobs } from "#store/jobs";
import { openJobStates } from "#store/run-news";
import type { Workflow } from "#store/workflows";
import { isLive } from "#workflow/run-status";
import type { JobStatus } from "#workflow/job";

export interface RunUsage {
  /** From queueing to its turn, and from its beginning to its end, or to now; undefined before. */
  readonly queuedMs: number | undefined;
  readonly wallMs: number | undefined;
  /** Processor time of the jobs that have ended, as far as backends could tell. */
  readonly cpuMs: number;
  readonly jobs: Readonly<Record<JobStatus | "total", number>>;
  /** Undefined when it has too many files to be looked at in passing, or was removed. */
  readonly workspaceBytes: number | undefined;
}

/** Looking at so many takes some milliseconds; of larger workspaces somebody has to ask on purpose. */
const FILES_IN_PASSING = 1000;

/** What a run has used so far: read off maintained counters and an index. */
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

/** Somebody may have set the time of day back. */
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
