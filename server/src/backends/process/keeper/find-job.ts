import { closeSync, constants, existsSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import { maybeReadOwn, maybeOpenOwn } from "#backends/process/attempt/own-file";
import { DamagedAttempt } from "#backends/process/attempt/damaged-attempt";
import { type AttemptRecord, parseRecord, wholeLines } from "#backends/process/attempt/record-lines";
import { RECORD_MAX_BYTES } from "#backends/process/attempt/record";
import { signal, statFields } from "#backends/process/table/process-table";
import { codeOf } from "#plumbing/errors";

/** A slot as a look has found it. */
export interface FoundSlot {
  readonly pid: number;
  /** A letter, as in /proc/PID/stat. */
  readonly state: string;
  /** The paths by which its record and log can be opened, even if a job has moved them. */
  readonly record: string;
  readonly log: string;
}

/** The job that a slot is running. */
export interface FoundJob {
  readonly slot: FoundSlot;
  readonly id: string;
  /** Line in the record by which the slot claimed the job. A resubmitted job has a different line. */
  readonly claim: string;
  readonly group: number;
  readonly said: AttemptRecord;
}

/** The files that a slot holds open (slot.sh). */
const [RECORD_FD, LOG_FD] = [4, 5];
const HAS_PROC = existsSync("/proc/self/fd");
const LINE_MAX_BYTES = 4096;

/**
 * Finds a slot by the file that announces it, which holds its birth time or, without /proc, the folder of its job.
 * Continues the slot in case a job has stopped it; a running slot is not affected.
 */
export function maybeSlot(file: string): FoundSlot | undefined {
  const pid = Number(path.basename(file));
  const said = maybeFirstLine(file);
  if (!said || !Number.isInteger(pid)) return undefined;
  if (HAS_PROC) {
    const fields = statFields(pid);
    if (fields === undefined || fields[0] === "Z" || fields[19] !== said) return undefined;
    maySignal(pid, "SIGCONT");
    const held = (fd: number) => `/proc/${pid}/fd/${fd}`;
    return { pid, state: fields[0]!, record: held(RECORD_FD), log: held(LOG_FD) };
  }
  if (!maySignal(pid, "SIGCONT")) return undefined;
  return { pid, state: "", record: path.join(said, "record"), log: path.join(said, "log") };
}

/** Returns the job that the slot is running: it has started, and has not ended. */
export function maybeJob(slot: FoundSlot | undefined): FoundJob | undefined {
  const text = slot && maybeReadRecord(slot.record);
  if (!slot || text === undefined) return undefined;
  try {
    const said = parseRecord(wholeLines(text));
    const { claim, jobId, group, ended } = said;
    if (!claim || !jobId || group === undefined || ended) return undefined;
    return { slot, id: jobId, claim, group, said };
  } catch (error) {
    // The server detects a damaged record, and ends the job.
    if (error instanceof DamagedAttempt) return undefined;
    throw error;
  }
}

/** Returns whether the slot is still running the same job. */
export function isRunning(job: FoundJob): boolean {
  return maybeJob(job.slot)?.claim === job.claim;
}

/** Adds a line to the record. The job may have ended since, and its slot may have closed the record. */
export function note({ slot }: FoundJob, ...words: readonly (string | number)[]): void {
  const file = maybeOpenRegular(slot.record, constants.O_WRONLY | constants.O_APPEND);
  if (file === undefined) return;
  try {
    writeSync(file, `\n${words.join(" ")} .\n`);
  } finally {
    closeSync(file);
  }
}

/** Returns the first line of a short file in a folder that jobs can reach. */
export function maybeFirstLine(file: string): string | undefined {
  const opened = maybeOpenOwn(file, "read");
  if (typeof opened !== "object") return undefined;
  return maybeReadOwn(opened, LINE_MAX_BYTES)?.toString("latin1").split("\n", 1)[0];
}

/** Signals a process that may be gone, or belong to another user. Returns whether it is there. */
export function maySignal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return signal(pid, name);
  } catch (error) {
    if (codeOf(error) === "EPERM") return true;
    throw error;
  }
}

/** Shared by all looks, because a record is read four times a second. */
const BUFFER = Buffer.alloc(RECORD_MAX_BYTES);

function maybeReadRecord(file: string): string | undefined {
  const opened = maybeOpenRegular(file, constants.O_RDONLY);
  if (opened === undefined) return undefined;
  try {
    return BUFFER.toString("latin1", 0, readSync(opened, BUFFER, 0, BUFFER.length, 0));
  } finally {
    closeSync(opened);
  }
}

/** Opens a file that a slot holds. Undefined if it is not a regular file, or the slot has closed it. */
function maybeOpenRegular(file: string, flags: number): number | undefined {
  try {
    const opened = openSync(file, flags | constants.O_NONBLOCK);
    if (fstatSync(opened).isFile()) return opened;
    closeSync(opened);
    return undefined;
  } catch (error) {
    if (["ENOENT", "ESRCH", "EACCES", "EPERM", "ENXIO"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
