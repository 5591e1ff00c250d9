import { toWireTime } from "#plumbing/clock";
import { shortageSentence } from "#operations/disk-shortage";
import { type HostStanding, UNHINDERED } from "#scheduler/scheduler";
import type { Connection } from "#store/database";
import { maybeSilentHost } from "#store/hosts";
import { queuedBefore } from "#store/run-queue";
import type { Workflow } from "#store/workflows";
import type { JobStatus } from "#workflow/job";
import { isLive } from "#workflow/run-status";

interface HasStatus {
  readonly status: JobStatus;
  readonly attempt: number;
}

/**
 * Returns a sentence about what a run waits for, or undefined if it is making progress, has not been started, or has
 * ended. `jobs` includes all jobs that have not ended.
 */
export async function maybeWaitingFor(
  db: Connection,
  workflow: Workflow,
  jobs: readonly HasStatus[],
  { hostId, draining, shortage }: HostStanding = UNHINDERED,
): Promise<string | undefined> {
  if (!isLive(workflow.status)) return undefined;
  if (workflow.status === "queued" && draining !== "no") return UPGRADE;
  if (workflow.status === "queued" && shortage) return shortageSentence(shortage);
  if (workflow.status === "queued") return itsTurn(await queuedBefore(db, workflow));
  // A server that cannot write looks silent in its own database.
  if (workflow.heldBy === hostId && shortage?.isFull) return shortageSentence(shortage);
  const host = await maybeSilentHost(db, workflow.heldBy);
  if (host) {
    const since = toWireTime(host.seenAtMs).replace("T", " ");
    return `The host ${host.name}, which has been silent since ${since} UTC: the run goes on when it is back.`;
  }
  if (workflow.waitingFor !== null) return workflow.waitingFor;
  if (draining === "handed-over") return HANDED_OVER;
  if (workflow.stopRequestedAtMs !== null) return "The last of its processes to end.";
  const place = aPlace(workflow, jobs);
  return place && workflow.heldBy === hostId && shortage ? shortageSentence(shortage) : place;
}

const UPGRADE = "An upgrade of the server: until that is done, no run begins.";
const HANDED_OVER =
  "An upgrade of the server: what runs goes on, and what comes after it waits until that is done.";

function itsTurn(before: number): string {
  if (before === 0) return "Its turn: as many runs go on as may. It is the next one of its user.";
  const others = before === 1 ? "one run" : `${before} runs`;
  return `Its turn: as many runs go on as may, and ${others} of the same user were queued before it.`;
}

/** Returns undefined while one of the run's jobs is running: the run is making progress. */
function aPlace({ status }: Workflow, jobs: readonly HasStatus[]): string | undefined {
  if (status === "pending") return `A place for its first job: ${ALL_IN_USE}`;
  const waiting = jobs.filter((job) => job.status === "created");
  if (waiting.length === 0 || jobs.some((job) => job.status === "running")) return undefined;
  if (waiting.every((job) => job.attempt > 1))
    return "The time at which a job that failed is tried again, or a place for it.";
  const what = waiting.length === 1 ? "a job" : `${waiting.length} jobs`;
  return `A place for ${what}: ${ALL_IN_USE}`;
}

const ALL_IN_USE = "other jobs use the cores or the memory of the machine.";
