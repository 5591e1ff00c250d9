import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import os from "node:os";
import { fileURLToPath } from "node:url";
import type { SlotGroup } from "#backends/process/cgroups/slot-groups";
import { HOST_ENVIRONMENT } from "#backends/process/slots/host-environment";
import { withHelperLog } from "#backends/process/slots/helper-log";
import { makeSlotsFolder, removeStaleSlots } from "#backends/process/slots/slots-folder";
import { messageOf } from "#plumbing/errors";
import { startProcess } from "#plumbing/start-process";

/**
 * Shells that run jobs (slot.sh), each one job at a time. Slots are started a few at a time (start-slots.sh),
 * when the number of jobs first exceeds the number of slots: a large server takes milliseconds to start a
 * process. Slots outlive the server as long as their jobs run.
 */
export interface JobSlots {
  /** Starts slots before the first order. */
  prepare(): void;
  /**
   * Hands an order to a free slot. `onFree` is called once, when the slot is done or was killed, with whether the slot
   * reported that it has started the job. Once closed, orders and reports are dropped.
   */
  run(order: Buffer, onFree: OnFree): Promise<void>;
  /** Closes the slots. Idle slots exit now, busy slots after their job. */
  close(): void;
}

type OnFree = (hasBegun: boolean) => void;

/** A slot's reply if it has started the job; otherwise the reply is a dot. */
const HAS_BEGUN = "+";

/** No more than processors: each takes 4 ms of one, while the first job of `reprise run` is waiting. */
const SLOTS_PER_START = Math.min(4, os.availableParallelism());
/** Limit on free slots: slots above the limit leave. */
const FREE_SLOTS_MAX = Math.max(4, os.availableParallelism());

const SCRIPT = fileURLToPath(new URL("./start-slots.sh", import.meta.url));

interface Slot {
  readonly socket: Socket;
  onFree: OnFree | undefined;
}

export function createJobSlots(
  folder: string,
  bootId: string,
  makeGroup: () => SlotGroup | undefined = () => undefined,
): JobSlots {
  makeSlotsFolder(folder);
  removeStaleSlots(folder, bootId);
  const all = new Set<Slot>();
  const free: Slot[] = [];
  let starting: Promise<void> | undefined;
  let isClosed = false;

  const addMore = () => (starting ??= addSlots().finally(() => (starting = undefined)));

  async function addSlots(): Promise<void> {
    const groups: (SlotGroup | undefined)[] = [];
    try {
      while (groups.length < SLOTS_PER_START) groups.push(makeGroup());
      for (const [index, socket] of (await startSlots(folder, bootId, groups)).entries()) {
        if (isClosed) socket.destroy();
        else addSlot(socket, groups[index]);
      }
    } catch (error) {
      for (const group of groups) group?.remove();
      throw error;
    }
  }

  function addSlot(socket: Socket, group: SlotGroup | undefined): void {
    const slot: Slot = { socket, onFree: undefined };
    all.add(slot);
    free.push(slot);
    // A killed slot cannot be written to; its end is handled on close.
    socket.on("error", () => undefined);
    socket.on("data", (answer: Buffer) => {
      if (free.length < FREE_SLOTS_MAX) free.push(slot);
      else socket.end();
      reportFree(slot, answer.includes(HAS_BEGUN));
    });
    socket.once("close", () => {
      all.delete(slot);
      const at = free.indexOf(slot);
      if (at !== -1) free.splice(at, 1);
      // The process may be leaving still: then the next server removes the group.
      group?.remove();
      reportFree(slot, false);
    });
  }

  return {
    // The first order tries again, and reports the failure.
    prepare: () => void addMore().catch(() => undefined),
    async run(order, onFree) {
      while (free.length === 0 && !isClosed) await addMore();
      const slot = free.pop();
      if (!slot) return;
      slot.onFree = onFree;
      slot.socket.write(order);
    },
    close() {
      isClosed = true;
      for (const { socket } of all) socket.destroy();
      all.clear();
      free.length = 0;
    },
  };
}

function reportFree(slot: Slot, hasBegun: boolean): void {
  const { onFree } = slot;
  slot.onFree = undefined;
  onFree?.(hasBegun);
}

function groupWords(group: SlotGroup | undefined): readonly string[] {
  const [join = "", otherJoin = ""] = group?.joinFiles ?? [];
  return [join, otherJoin, group?.timeFile ?? ""];
}

/**
 * Starts a slot for each of the control groups, if any. The slots accept orders once the promise resolves,
 * even if their shells are not running yet.
 */
async function startSlots(
  folder: string,
  bootId: string,
  groups: readonly (SlotGroup | undefined)[],
): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: SLOTS_PER_START }, () => "pipe" as const);
  const starting = withHelperLog(folder, (stderr) =>
    startProcess(() =>
      spawn("bash", ["--norc", SCRIPT, folder, bootId, ...groups.flatMap(groupWords)], {
        detached: true,
        cwd: "/",
        stdio: ["ignore", "ignore", stderr, ...sockets],
        env: HOST_ENVIRONMENT,
      }),
    ),
  );
  const child = await starting.catch((error: unknown) => {
    throw new Error(`The shell that runs jobs could not be started: ${messageOf(error)}`);
  });
  child.unref();
  return child.stdio.slice(3) as Socket[];
}
