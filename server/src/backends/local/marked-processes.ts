import { existsSync, readdirSync } from "node:fs";
import process from "node:process";
import { setImmediate as breathe, setTimeout as delay } from "node:timers/promises";
import { readProc, statFields } from "#backends/local/process-table";

/** Every job has this variable in its environment, and so has whatever descends from the job. */
export const MARK = "REPRISE_JOB_MARK";

/**
 * What it holds. A server that was restored from a backup knows jobs by the same ids as its original, which may go on
 * beside it: the host tells whose they are.
 */
export function markOfJob(hostId: string, jobId: string): string {
  return `${hostId}/${jobId}`;
}

/** How many processes are looked at before something else gets its turn: each takes some microseconds. */
const AT_A_TIME = 100;

export interface MarkedProcesses {
  readonly pids: readonly number[];
  /** False when a process ended while it was looked at: what it had just started may have been missed. */
  readonly isWhole: boolean;
}

/** All processes that have one of these marks. */
export async function markedProcesses(marks: ReadonlySet<string>): Promise<MarkedProcesses> {
  const all = new Map<number, string>();
  const isWhole = await lookAt(pids(), all);
  return { pids: withOneOf(marks, all), isWhole };
}

function withOneOf(marks: ReadonlySet<string>, found: ReadonlyMap<number, string>): number[] {
  return [...found].flatMap(([pid, mark]) => (marks.has(mark) ? [pid] : []));
}

/** Adds those that have a mark to `found`; answers whether none ended meanwhile. */
async function lookAt(candidates: readonly number[], found: Map<number, string>): Promise<boolean> {
  let isWhole = true;
  for (const [index, pid] of candidates.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) await breathe();
    const mark = await markOf(pid);
    if (typeof mark === "string") found.set(pid, mark);
    else if (mark === GONE) isWhole = false;
  }
  return isWhole;
}

interface Look {
  readonly atMs: number;
  /** Whoever is born later has a higher number. */
  readonly newestPid: number;
  /** Those of all jobs. */
  readonly marked: readonly number[];
}

/** For how long a look remembers the one before it. So fast no machine gives all its process numbers away. */
const MEMORY_MS = 1000;
/** Where more were born since, all there are are fewer. */
const BORN_MAX = 2000;
/** What is born while we look is looked at as well, so often. */
const ROUNDS_MAX = 10;

/**
 * The same for jobs whose own process is known to have ended, at a fraction of the cost: only those are looked at that
 * had a mark a moment ago, and those that were born since. Only a job's own process begins without a mark; what descends
 * from it inherits it.
 */
export function createLeftoverSearch(elapsedMs: () => number) {
  let last: Look | undefined;

  /** Numbers are given in turn: only when they begin again from below can one be another process by now. */
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
      await lookAt(candidates, found);
      const newest: number = maybeNewestPid() ?? newestPid;
      candidates = isSoonAfter(newestPid, newest) ? bornBetween(newestPid, newest) : pids();
      isWhole = newest === newestPid;
      newestPid = newest;
    }
    last = isWhole ? { atMs, newestPid, marked: [...found.keys()] } : undefined;
    return { pids: withOneOf(marks, found), isWhole };
  };
}

/** The number that was given last. Not every system tells. */
function maybeNewestPid(): number | undefined {
  const newest = readProc("/proc/sys/kernel/ns_last_pid");
  return newest === undefined ? undefined : Number(newest);
}

function isSoonAfter(older: number, newest: number): boolean {
  return newest >= older && newest - older <= BORN_MAX;
}

/** Most have ended already. */
function bornBetween(older: number, newest: number): number[] {
  const all = Array.from({ length: newest - older }, (_, index) => older + 1 + index);
  return all.filter((pid) => existsSync(`/proc/${pid}`));
}

function pids(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

const NO_MARK = Symbol("no mark");
const GONE = Symbol("gone");

/** In microseconds a program has begun, but who knows how long a loaded machine takes for them. */
const LOOKS_AT_BEGINNING = 50;

/**
 * A process that takes on another program (execve) between the opening and the reading of the file seems to have no
 * environment, so what is empty is looked at again.
 */
export async function markOf(pid: number): Promise<string | typeof NO_MARK | typeof GONE> {
  for (let look = 1; ; look += 1) {
    const environment = readProc(`/proc/${pid}/environ`);
    if (environment) return markIn(environment);
    const fields = statFields(pid);
    if (fields === undefined || /[ZX]/.test(fields[0]!)) return GONE;
    // Another user's, or one that has none.
    if (environment === undefined || !mayHaveEnvironment(fields) || look === LOOKS_AT_BEGINNING)
      return NO_MARK;
    await delay(1);
  }
}

function markIn(environment: string): string | typeof NO_MARK {
  const at = `\0${environment}`.indexOf(`\0${MARK}=`);
  if (at === -1) return NO_MARK;
  const end = environment.indexOf("\0", at);
  return environment.slice(at + MARK.length + 1, end === -1 ? undefined : end);
}

/** Flag of a thread of the kernel: it never has an environment. */
const PF_KTHREAD = 0x20_0000;

/** The fields are those of proc(5) from the third on: flags are the 9th, the place of the environment the 50th and 51st. */
function mayHaveEnvironment(fields: readonly string[]): boolean {
  if ((Number(fields[6]) & PF_KTHREAD) !== 0) return false;
  const [start, end] = [fields[47], fields[48]];
  return start !== end || end === "0";
}
