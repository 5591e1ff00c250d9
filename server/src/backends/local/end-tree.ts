import { setTimeout as delay } from "node:timers/promises";
import { readClaim, readGroup } from "#backends/local/attempt-folder";
import { readBootId } from "#backends/local/boot-id";
import { isAlive, processesMarked, signal } from "#backends/local/process-table";
import { crashPoint } from "#plumbing/crash-points";

/** How long a command may tidy up after it was asked to end. */
const GRACE_MS = 2000;
const LOOK_INTERVAL_MS = 20;
/** A process that survives SIGKILL this long hangs in the kernel. */
const GIVE_UP_AFTER_MS = 12_000;

/**
 * Ends everything that descends from these jobs. With the folder of one that may still be supervised: its process
 * group is asked first and has some time. Then whatever carries a job's mark in its environment is killed, until
 * nothing does and the supervisor has left. Where a process ended while we looked, which may have started another one
 * behind our back, we look once more.
 */
export async function endTree(ids: readonly string[], folder?: string): Promise<void> {
  if (ids.length === 0) return;
  const marks = new Set(ids);
  const beganAt = performance.now();
  let asked = false;
  let wasClear = false;
  for (;;) {
    const group = folder === undefined ? undefined : await supervisedGroup(folder);
    const { pids: left, isWhole } = await processesMarked("REPRISE_JOB_ID", marks);
    const isClear = group === undefined && left.length === 0;
    if (isClear && (isWhole || wasClear)) {
      crashPoint("job-gone");
      return;
    }
    wasClear = isClear;
    if (isClear) continue;
    const passedMs = performance.now() - beganAt;
    if (passedMs > GIVE_UP_AFTER_MS) {
      throw new Error(
        `The processes ${left.join(", ")} of job ${ids.join(", ")} are still there after SIGKILL.`,
      );
    }
    if (group === undefined || passedMs > GRACE_MS) for (const pid of left) signal(pid, "SIGKILL");
    if (typeof group === "number") asked = askOrKill(group, asked, passedMs);
    crashPoint("job-signalled");
    await delay(LOOK_INTERVAL_MS);
  }
}

function askOrKill(group: number, asked: boolean, passedMs: number): boolean {
  if (!asked) signal(-group, "SIGTERM");
  else if (passedMs > GRACE_MS) signal(-group, "SIGKILL");
  return true;
}

/**
 * While its supervisor lives, a job's process group is surely its own: the number cannot have been given away.
 * Nothing: the supervisor has left. `starting`: it has not started the job yet.
 */
async function supervisedGroup(folder: string): Promise<number | "starting" | undefined> {
  const claim = await readClaim(folder);
  if (claim === undefined || claim === "nobody" || !(await isAlive(claim, readBootId()))) return undefined;
  return (await readGroup(folder)) ?? "starting";
}
