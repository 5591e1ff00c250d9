import { setTimeout as delay } from "node:timers/promises";
import { type FoundJob, isRunning, maySignal, note } from "#backends/process/keeper/find-job";
import { MEASURED_MAX, rootsOf, treeOf } from "#backends/process/keeper/measure";
import { report } from "#backends/process/keeper/report";
import type { Watch } from "#backends/process/keeper/watch";
import { askToEnd } from "#backends/process/table/ask-to-end";
import { cpuMsOf } from "#backends/process/table/cpu-so-far";
import { markedProcesses, markOfJob } from "#backends/process/table/marked-processes";
import type { Mark } from "#backends/process/attempt/record-lines";

/** Time that a job has to end after it was asked. */
const GRACE_MS = 2000;
/** Rounds in which the processes that carry the mark of a job are killed, until none is left. */
const KILL_ROUNDS_MAX = 100;
/** Number of processes whose processor time is still read if a job must be killed at once. */
const QUICK_MAX = 10;
/** Limits that end a job without a SIGTERM, because the job could grow further. */
const AT_ONCE: ReadonlySet<Mark> = new Set(["out-of-memory", "process-limit"]);

/** Marks and ends a job, once. */
export function endJob(
  watch: Watch,
  job: FoundJob,
  reason: Mark,
  ...used: readonly (number | string)[]
): void {
  if (watch.ending.has(job.claim)) return;
  watch.ending.add(job.claim);
  note(job, "marked", reason, ...used);
  endByForce(watch, job, reason).catch(report);
}

/** Sends SIGTERM and then SIGKILL to the process group of a job, then kills its processes in other groups. */
async function endByForce(watch: Watch, job: FoundJob, reason: Mark): Promise<void> {
  if (AT_ONCE.has(reason)) recordTime(watch, job, QUICK_MAX);
  else {
    recordTime(watch, job, MEASURED_MAX);
    askToEnd(job.group);
    await delay(GRACE_MS);
    if (isRunning(job)) recordTime(watch, job, MEASURED_MAX);
  }
  if (isRunning(job)) maySignal(-job.group, "SIGKILL");
  const marks = new Set([markOfJob(watch.hostId, job.id)]);
  // A process may fork before SIGKILL reaches it.
  for (let round = 0; round < KILL_ROUNDS_MAX; round += 1) {
    const { pids } = await markedProcesses(marks);
    if (pids.length === 0) return;
    for (const pid of pids) maySignal(pid, "SIGKILL");
  }
}

/** Records the processor time of a job that is being ended: nobody waits for processes whose parent ends before them. */
function recordTime({ folder }: Watch, job: FoundJob, max: number): void {
  const pids = treeOf(rootsOf(folder, job).pids, max).slice(0, max);
  const ms = pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);
  if (ms > 0) note(job, "spent", ms);
}
