import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import type { Socket } from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { HOST_ENVIRONMENT } from "#backends/local/slots/order";
import { maybeOpenOwn } from "#backends/local/attempt/own-file";
import { isAlive } from "#backends/local/processes/process-table";
import { codeOf } from "#plumbing/errors";

/**
 * Shells that run jobs (slot.sh), each one job at a time. They are started a few at a time (host.sh), when that many
 * jobs are to run for the first time: a large server takes milliseconds to start a process. They outlive the server as
 * long as their jobs run.
 */
export interface JobSlots {
  /**
   * Hands an order to a free slot. `onFree` is called once, when the slot is done or was killed, with whether the slot
   * reported that it has started the job. Once closed, orders and reports are dropped.
   */
  run(order: Buffer, onFree: OnFree): Promise<void>;
  /** Dismisses the slots: free ones leave, the others after their job. */
  close(): void;
}

type OnFree = (hasBegun: boolean) => void;

/** A slot's reply if it has started the job; otherwise it sends a dot. */
const HAS_BEGUN = "+";

const SLOTS_PER_HOST = 4;
/** Slots above this number leave when they have no job. */
const FREE_SLOTS_MAX = Math.max(SLOTS_PER_HOST, os.availableParallelism());

const SCRIPT = fileURLToPath(new URL("./host.sh", import.meta.url));

interface Slot {
  readonly socket: Socket;
  onFree: OnFree | undefined;
}

/** The folder in which each slot announces itself by a file named after its pid. */
export function slotsFolder(folder: string): string {
  return path.join(folder, "slots");
}

/** Removes the files of slots that are gone. Slots of earlier servers may still be running their jobs. */
function forgetGoneSlots(folder: string, bootId: string): void {
  for (const name of readdirSync(slotsFolder(folder))) {
    const file = path.join(slotsFolder(folder), name);
    const born = maybeBirth(file);
    // An empty file is just being written.
    if (born === "") continue;
    if (born === undefined || !isAlive({ pid: Number(name), born, bootId }, bootId))
      rmSync(file, { force: true, recursive: true });
  }
}

/** Returns undefined if a job has put something else in the place of the file, or something too long. */
function maybeBirth(file: string): string | undefined {
  const opened = maybeOpenOwn(file, "read");
  if (opened === undefined) return "";
  if (typeof opened === "string") return undefined;
  try {
    return opened.bytes > BIRTH_MAX_BYTES ? undefined : readFileSync(opened.fd, "latin1").trim();
  } finally {
    closeSync(opened.fd);
  }
}

/** Without /proc the file holds the path of a folder. */
const BIRTH_MAX_BYTES = 4096;

/** Makes the folder. If a job has put something else in its place, that is moved away. */
function makeSlotsFolder(folder: string): void {
  const slots = slotsFolder(folder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(slots, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const stat = lstatSync(slots);
    if (stat.isDirectory()) return chmodSync(slots, 0o700);
    renameSync(slots, `${slots}.damaged`);
    makeSlotsFolder(folder);
  }
}

export function createJobSlots(folder: string, bootId: string): JobSlots {
  makeSlotsFolder(folder);
  forgetGoneSlots(folder, bootId);
  const all = new Set<Slot>();
  const free: Slot[] = [];
  let starting: Promise<void> | undefined;
  let isClosed = false;

  /** Starts a host. Its slots accept orders once this has resolved, even if their shells are not running yet. */
  async function startHost(): Promise<void> {
    const sockets = Array.from({ length: SLOTS_PER_HOST }, () => "pipe" as const);
    const child = spawn("bash", ["--norc", SCRIPT, folder, bootId, String(SLOTS_PER_HOST)], {
      detached: true,
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore", ...sockets],
      env: HOST_ENVIRONMENT,
    });
    child.unref();
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) =>
        reject(new Error(`The shell that runs jobs could not be started: ${error.message}`)),
      );
    });
    for (const socket of child.stdio.slice(3)) {
      if (isClosed) socket?.destroy();
      else addSlot(socket as Socket);
    }
  }

  function addSlot(socket: Socket): void {
    const slot: Slot = { socket, onFree: undefined };
    const done = (hasBegun: boolean) => {
      const { onFree } = slot;
      slot.onFree = undefined;
      onFree?.(hasBegun);
    };
    all.add(slot);
    free.push(slot);
    // A killed slot cannot be written to; its end is handled on close.
    socket.on("error", () => undefined);
    socket.on("data", (answer: Buffer) => {
      if (free.length < FREE_SLOTS_MAX) free.push(slot);
      else socket.end();
      done(answer.includes(HAS_BEGUN));
    });
    socket.once("close", () => {
      all.delete(slot);
      const at = free.indexOf(slot);
      if (at !== -1) free.splice(at, 1);
      done(false);
    });
  }

  return {
    async run(order, onFree) {
      while (free.length === 0 && !isClosed)
        await (starting ??= startHost().finally(() => (starting = undefined)));
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
