import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import path from "node:path";
import { DamagedAttempt } from "#backends/process/attempt/damaged-attempt";
import { slotsFolder } from "#backends/process/slots/slots-folder";
import { isAlive, type ProcessIdentity, readProc, statFields } from "#backends/process/table/process-table";
import { readRecord, RECORD_MAX_BYTES } from "#backends/process/attempt/record";
import { type AttemptRecord, parseRecord, wholeLines } from "#backends/process/attempt/record-lines";
import { codeOf } from "#plumbing/errors";

/** The known processes of a running job. */
export interface Supervision {
  /** The slot that runs the job now. */
  readonly slot?: ProcessIdentity;
  /** The number of the job's own process and of its group. */
  readonly group?: number;
}

/** The descriptor under which a slot holds the record of its current attempt (slot.sh). */
const RECORD_FD = 4;
const HAS_PROC = process.platform === "linux";

/**
 * Returns whether the process that claimed an attempt is still running the attempt: the process is alive and
 * holds this very record open. A job can write any process number into its record.
 */
export function isSupervising(owner: ProcessIdentity, folder: string, bootId: string): boolean {
  if (!isAlive(owner, bootId)) return false;
  return !HAS_PROC || isSame(maybeStat(heldRecord(owner.pid)), recordAt(folder));
}

/**
 * Returns the processes that run an attempt. If the record is damaged, the slot still holds the true record.
 */
export function supervisionOf(folder: string, bootId: string): Supervision {
  try {
    const record = readRecord(folder);
    const { owner, ended } = record;
    const isOn = !ended && typeof owner === "object" && isSupervising(owner, folder, bootId);
    return supervision(isOn ? owner : undefined, record);
  } catch (error) {
    if (!(error instanceof DamagedAttempt)) throw error;
    const slot = maybeSlotAt(folder, bootId);
    return slot ? supervision(slot, maybeHeldRecord(slot.pid)) : {};
  }
}

function supervision(slot: ProcessIdentity | undefined, record: AttemptRecord | undefined): Supervision {
  return { ...(slot && { slot }), ...(record?.group !== undefined && { group: record.group }) };
}

/**
 * Returns the relation between a slot and an attempt without a claim in its record.
 *
 * - nobody: no slot has the attempt;
 * - about-to: a slot is just about to claim the attempt;
 * - without-record: a slot holds a file other than the file in the folder: the record was taken away.
 */
export function unclaimedBy(folder: string, bootId: string): "nobody" | "about-to" | "without-record" {
  const slot = maybeSlotAt(folder, bootId);
  if (!slot) return "nobody";
  return isSame(maybeStat(heldRecord(slot.pid)), recordAt(folder)) ? "about-to" : "without-record";
}

/** Finds the slot that holds the record of the attempt, even if the record was moved or deleted. */
function maybeSlotAt(folder: string, bootId: string): ProcessIdentity | undefined {
  if (!HAS_PROC) return undefined;
  const pids = orGone(() => readdirSync(slotsFolder(path.dirname(folder))))?.map(Number) ?? [];
  const pid = pids.find((one) => Number.isInteger(one) && isAt(one, folder));
  const born = pid && statFields(pid)?.[19];
  return pid && born ? { pid, born, bootId } : undefined;
}

function isAt(pid: number, folder: string): boolean {
  if (!isSlotProgram(pid)) return false;
  if (maybeLink(heldRecord(pid))?.startsWith(`${folder}/`)) return true;
  const claim = maybeHeldLines(pid).find((line) => line.startsWith(`claimed ${pid} `));
  return claim?.split(" ")[5] === path.basename(folder);
}

/** Returns whether a process runs slot.sh: a slot, or a fork of one that has not executed another program yet. */
export function isSlotProgram(pid: number): boolean {
  return readProc(`/proc/${pid}/cmdline`)?.includes("slot.sh") === true;
}

function maybeHeldRecord(pid: number): AttemptRecord | undefined {
  try {
    return parseRecord(maybeHeldLines(pid));
  } catch (error) {
    if (error instanceof DamagedAttempt) return undefined;
    throw error;
  }
}

function maybeHeldLines(pid: number): string[] {
  const file = orGone(() => openSync(heldRecord(pid), constants.O_RDONLY | constants.O_NONBLOCK));
  if (file === undefined) return [];
  try {
    if (!fstatSync(file).isFile()) return [];
    const buffer = Buffer.alloc(RECORD_MAX_BYTES);
    return wholeLines(buffer.toString("latin1", 0, readSync(file, buffer, 0, buffer.length, 0)));
  } finally {
    closeSync(file);
  }
}

function heldRecord(pid: number): string {
  return `/proc/${pid}/fd/${RECORD_FD}`;
}

const recordAt = (folder: string) => lstatSync(path.join(folder, "record"), { throwIfNoEntry: false });
const maybeStat = (file: string) => orGone(() => statSync(file));
const maybeLink = (file: string) => orGone(() => readlinkSync(file));

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** Returns undefined if the process, or its descriptor, is gone, or belongs to another user. */
function orGone<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (GONE.has(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ESRCH", "EACCES", "EPERM", "ENXIO"]);
