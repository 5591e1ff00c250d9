import { existsSync, readdirSync } from "node:fs";
import process from "node:process";
import { setImmediate as yieldToEventLoop, setTimeout as delay } from "node:timers/promises";
import { readProc, statFields } from "#backends/process/table/process-table";

/** A variable in the environment of every job, inherited by everything that descends from the job. */
export const MARK = "REPRISE_JOB_MARK";

/**
 * Returns the value of the variable. A server restored from a backup knows jobs by the same ids as its
 * original, which may be running at the same time: the host id distinguishes their jobs.
 */
export function markOfJob(hostId: string, jobId: string): string {
  return `${hostId}/${jobId}`;
}

/** Number of inspected processes before the event loop runs: each takes some microseconds. */
const AT_A_TIME = 100;

export interface MarkedProcesses {
  readonly pids: readonly number[];
  /**
   * False if a process ended during its inspection: a process that it had just started may have been missed.
   */
  readonly isWhole: boolean;
}

/** Finds all processes with any of the given marks. */
export async function markedProcesses(marks: ReadonlySet<string>): Promise<MarkedProcesses> {
  const all = new Map<number, string>();
  const isWhole = await inspect(pids(), all);
  return { pids: withOneOf(marks, all), isWhole };
}

function withOneOf(marks: ReadonlySet<string>, found: ReadonlyMap<number, string>): number[] {
  return [...found].flatMap(([pid, mark]) => (marks.has(mark) ? [pid] : []));
}

/** Adds the processes with a mark to `found`. Returns false if a process ended during the search. */
async function inspect(candidates: readonly number[], found: Map<number, string>): Promise<boolean> {
  let isWhole = true;
  for (const [index, pid] of candidates.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) await yieldToEventLoop();
    const mark = await markOf(pid);
    if (typeof mark === "string") found.set(pid, mark);
    else if (mark === GONE) isWhole = false;
  }
  return isWhole;
}

interface Look {
  readonly atMs: number;
  /** A process born later has a higher number. */
  readonly newestPid: number;
  /** The marked processes of all jobs. */
  readonly marked: readonly number[];
}

/** Lifetime of a remembered search. Process numbers do not wrap around within this time. */
const MEMORY_MS = 1000;
/** Limit on processes born since the last search. Above the limit, a search of all processes is cheaper. */
const BORN_MAX = 2000;
/** Limit on rounds of a search: processes that are born during a round are inspected in the next round. */
const ROUNDS_MAX = 10;

/**
 * Equivalent to `markedProcesses`, at a fraction of the cost, for jobs whose own process is known to have
 * ended: searches only processes that had a mark a moment ago, and processes born since. A job's own process
 * is the only process that starts without a mark; its descendants inherit the mark.
 */
export function createLeftoverSearch(elapsedMs: () => number) {
  let last: Look | undefined;

  /**
   * Returns the last search if still usable. Process numbers are assigned in turn: a number can name another
   * process only after the numbers have wrapped around.
   */
  function remembered(atMs: number, newestPid: number): Look | undefined {
    const isFresh = last !== undefined && atMs - last.atMs < MEMORY_MS;
    return isFresh && isSoonAfter(last!.newestPid, newestPid) ? last : undefined;
  }

  return async (marks: ReadonlySet<string>): Promise<MarkedProcesses> => {
    const firstNewest = maybeNewestPid();
    if (firstNewest === undefined) return markedProcesses(marks);
    let newestPid: number = firstNewest;
    const atMs = elapsedMs();
    const before = remembered(atMs, newestPid);
    const found = new Map<number, string>();
    let candidates = before ? [...before.marked, ...bornBetween(before.newestPid, newestPid)] : pids();
    let isWhole = false;
    for (let round = 1; round <= ROUNDS_MAX && !isWhole; round += 1) {
      await inspect(candidates, found);
      const newest: number = maybeNewestPid() ?? newestPid;
      candidates = isSoonAfter(newestPid, newest) ? bornBetween(newestPid, newest) : pids();
      isWhole = newest === newestPid;
      newestPid = newest;
    }
    last = isWhole ? { atMs, newestPid, marked: [...found.keys()] } : undefined;
    return { pids: withOneOf(marks, found), isWhole };
  };
}

/** Returns the last assigned process number. Not every system reports the number. */
function maybeNewestPid(): number | undefined {
  const newest = readProc("/proc/sys/kernel/ns_last_pid");
  return newest === undefined ? undefined : Number(newest);
}

function isSoonAfter(older: number, newest: number): boolean {
  return newest >= older && newest - older <= BORN_MAX;
}

/** Returns the processes born in between that still exist; most have ended. */
function bornBetween(older: number, newest: number): number[] {
  const all = Array.from({ length: newest - older }, (_, index) => older + 1 + index);
  return all.filter((pid) => existsSync(`/proc/${pid}`));
}

/** Returns all processes of this machine. */
export function pids(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

const NO_MARK = Symbol("no mark");
const GONE = Symbol("gone");

/** A program starts within microseconds, but a loaded machine may take much longer. The looks are 1 ms apart. */
const ENVIRONMENT_READS_MAX = 50;

/**
 * Returns the mark of a process. A process that calls execve between the opening and the reading of the file
 * seems to have no environment: an empty environment is read again.
 */
export async function markOf(pid: number): Promise<string | typeof NO_MARK | typeof GONE> {
  for (let look = 1; ; look += 1) {
    const environment = readProc(`/proc/${pid}/environ`);
    if (environment) return markIn(environment);
    const fields = statFields(pid);
    if (fields === undefined || /[ZX]/.test(fields[0]!)) return GONE;
    // Belongs to another user, or has no environment.
    if (environment === undefined || !mayHaveEnvironment(fields) || look === ENVIRONMENT_READS_MAX)
      return NO_MARK;
    await delay(1);
  }
}

/** Returns the mark in an environment, as /proc shows it. */
export function markIn(environment: string): string | typeof NO_MARK {
  const at = `\0${environment}`.indexOf(`\0${MARK}=`);
  if (at === -1) return NO_MARK;
  const end = environment.indexOf("\0", at);
  return environment.slice(at + MARK.length + 1, end === -1 ? undefined : end);
}

/** Flag of a kernel thread. Kernel threads never have an environment. */
const PF_KTHREAD = 0x20_0000;

/**
 * Reads the fields of proc(5), of which `fields` holds the third and later ones: the flags are the 9th, the place of
 * the environment the 50th and 51st.
 */
function mayHaveEnvironment(fields: readonly string[]): boolean {
  if ((Number(fields[6]) & PF_KTHREAD) !== 0) return false;
  const [start, end] = [fields[47], fields[48]];
  return start !== end || end === "0";
}
