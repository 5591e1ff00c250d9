import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { endContainers } from "#backends/containers/started-container";
import { askToEnd } from "#backends/process/table/ask-to-end";
import { markedProcesses, markOf, markOfJob } from "#backends/process/table/marked-processes";
import { type ProcessIdentity, signal, statFields } from "#backends/process/table/process-table";
import { isSlotProgram, supervisionOf } from "#backends/process/slots/supervision";
import { slotsFolder } from "#backends/process/slots/slots-folder";
import type { Clock } from "#plumbing/clock";
import { crashPoint } from "#plumbing/crash-points";

/** Time for a command to clean up after SIGTERM. */
const GRACE_MS = 2000;
const LOOK_INTERVAL_MS = 20;
/**
 * Limit on the life of a supervisor after its job was ended: a supervisor that lives longer is being kept
 * from exiting.
 */
const SUPERVISOR_GRACE_MS = 5000;
/** A process that survives SIGKILL for this time hangs in the kernel. */
const GIVE_UP_AFTER_MS = 12_000;

export interface Machine {
  /** Holds a folder per attempt. */
  readonly folder: string;
  readonly hostId: string;
  readonly bootId: string;
  readonly clock: Clock;
}

/**
 * Ends all descendants of these jobs. `folder` is the folder of a job that may still be supervised: its
 * process group first receives SIGTERM and has some time. Then every process that carries a job's mark in its
 * environment is killed, until no marked process is left and the supervisor has left. A supervisor that a job
 * has stopped is continued, and killed in the end. If a process ended during the search, it may have started
 * another process unseen, and therefore the search is repeated.
 */
export async function endTree(machine: Machine, ids: readonly string[], folder?: string): Promise<void> {
  if (ids.length === 0) return;
  const marks = new Set(ids.map((id) => markOfJob(machine.hostId, id)));
  const { clock } = machine;
  const beganAtMs = clock.elapsedMs();
  let asked = false;
  let wasClear = false;
  for (;;) {
    const group = folder === undefined ? undefined : await groupOf(machine, folder);
    const passedMs = clock.elapsedMs() - beganAtMs;
    // The supervisor stays until the pipe with the job's output is closed, which a process outside the group may hold
    // open.
    const hasEnded: boolean = asked && (group?.pid === undefined || !signal(-group.pid, 0));
    const isOver: boolean = passedMs > GRACE_MS || !group?.slot || hasEnded;
    const { pids: left, isWhole } = isOver ? await markedProcesses(marks) : NOT_LOOKED;
    const isClear = group === undefined && left.length === 0;
    if (isClear && (isWhole || wasClear)) {
      await endContainers(machine, ids);
      crashPoint("job-gone");
      return;
    }
    wasClear = isClear;
    if (isClear) continue;
    if (passedMs > GIVE_UP_AFTER_MS) throw new Error(stillThere(ids, left));
    if (group?.slot) continueSlot(group.slot.pid, passedMs);
    for (const pid of left) signal(pid, "SIGKILL");
    if (group?.pid !== undefined && !hasEnded && (isOver || !asked)) {
      asked = isOver ? signal(-group.pid, "SIGKILL") : askToEnd(group.pid);
    }
    crashPoint("job-signalled");
    await new Promise<void>((resolve) => clock.after(LOOK_INTERVAL_MS, resolve));
  }
}

const NOT_LOOKED = { pids: [], isWhole: true };

function stillThere(ids: readonly string[], pids: readonly number[]): string {
  const what = pids.length > 0 ? `The processes ${pids.join(", ")}` : "The supervisor";
  return `${what} of job ${ids.join(", ")} could not be ended: not even SIGKILL helped within ${GIVE_UP_AFTER_MS / 1000} s.`;
}

function continueSlot(slot: number, passedMs: number): void {
  if (slot === process.pid) return;
  signal(slot, passedMs > SUPERVISOR_GRACE_MS ? "SIGKILL" : "SIGCONT");
}

interface Group {
  readonly slot: ProcessIdentity | undefined;
  readonly pid?: number;
}

/**
 * Returns a job's process group while its number is certain: the process that leads it is alive, and carries the job's
 * mark, or was started by its supervisor and has not executed the command yet. Without `pid`, the supervisor has not
 * started the job yet.
 */
async function groupOf({ hostId, bootId }: Machine, folder: string): Promise<Group | undefined> {
  const { slot, group } = supervisionOf(folder, bootId);
  const isMarked = group !== undefined && (await markOf(group)) === markOfJob(hostId, path.basename(folder));
  const isStarting =
    group !== undefined && (slot ? isChild(group, slot.pid) : isForkOfDeadSlot(group, folder));
  const isLed = isMarked || isStarting;
  if (!slot && !isLed) return undefined;
  return { slot, ...(isLed && { pid: group }) };
}

/** The second field after the command's name is the parent's pid. */
function isChild(pid: number, parent: number): boolean {
  return statFields(pid)?.[1] === String(parent);
}

/**
 * Until it executes the command, a job's own process looks like a slot, but is neither a slot nor the child
 * of a slot.
 */
function isForkOfDeadSlot(pid: number, folder: string): boolean {
  const [, parent] = statFields(pid) ?? [];
  const isFork = parent !== undefined && isSlotProgram(pid) && !isSlotProgram(Number(parent));
  return isFork && !existsSync(path.join(slotsFolder(path.dirname(folder)), String(pid)));
}
