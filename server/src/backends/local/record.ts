import { appendFileSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { ProcessIdentity } from "#backends/local/process-table";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";
import type { EndReason, JobEnd } from "#workflow/job";

/**
 * The record of an attempt: one file that is only ever appended to, by its supervisor, the keeper and the server. Each
 * writes whole lines, so the order of the lines decides who came first:
 *
 *     claimed PID BORN BOOT-ID TIME TIME-LIMIT OUTPUT-LIMIT .    the first one is the supervisor; "nobody" keeps others off
 *     group PID BORN .                                           the job's own process, which leads a process group
 *     marked REASON .                                            why it is being ended
 *     ended CODE TIME TICKS .                                    the first one is the end
 *
 * A line counts when it is whole: a full disk, or a power cut, may leave a part of one. In the file that the claim has
 * made room for, the end finds a place even when the disk is full by then.
 */
export interface AttemptRecord {
  readonly owner: ProcessIdentity | "nobody" | undefined;
  readonly startedAtMs: number | undefined;
  readonly leader: ProcessIdentity | undefined;
  readonly mark: Mark | undefined;
  readonly ended:
    | { readonly code: number | null; readonly atMs?: number; readonly cpuMs?: number }
    | undefined;
}

export type Mark = Extract<EndReason, "cancelled" | "time-limit" | "output-limit">;

const CLAIMED = /^claimed (nobody|\d+) (\S+) (\S+) (\S+) \d+ \d+ \.$/;
const GROUP = /^group (\d+) (\S+) \.$/;
const MARKED = /^marked (cancelled|time-limit|output-limit) \.$/;
const ENDED = /^ended (-|\d+) (\S+) (-|\d+) \.$/;

/** Linux counts processor time in hundredths of a second on every architecture that Node runs on. */
const MS_PER_TICK = 10;

export function readRecord(folder: string): AttemptRecord {
  const lines = linesOf(folder);
  const first = (form: RegExp, before = lines.length) => {
    for (const line of lines.slice(0, before)) {
      const match = form.exec(line);
      if (match) return match as unknown as [string, string, string, string, string];
    }
    return undefined;
  };
  const endedAt = lines.findIndex((line) => ENDED.test(line));
  const claimed = first(CLAIMED);
  const group = first(GROUP);
  const ended = first(ENDED);
  const bootId = claimed?.[3] ?? "-";
  return {
    owner: claimed && (claimed[1] === "nobody" ? "nobody" : identity(claimed[1], claimed[2], bootId)),
    startedAtMs: claimed && msOf(claimed[4]),
    leader: group && identity(group[1], group[2], bootId),
    mark: first(MARKED, endedAt === -1 ? undefined : endedAt)?.[1] as Mark | undefined,
    ended: ended && endOf(ended),
  };
}

function linesOf(folder: string): string[] {
  try {
    return readFileSync(recordFile(folder), "latin1").split("\n").slice(0, -1);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

function identity(pid: string, born: string, bootId: string): ProcessIdentity {
  return { pid: Number(pid), born, bootId };
}

function endOf([, code, time, ticks]: [string, string, string, string, string]): AttemptRecord["ended"] {
  const atMs = msOf(time);
  return {
    code: code === "-" ? null : Number(code),
    ...(atMs !== undefined && { atMs }),
    ...(ticks !== "-" && { cpuMs: Number(ticks) * MS_PER_TICK }),
  };
}

/** Seconds with a fraction; `-` from a bash that cannot tell the time. */
function msOf(time: string): number | undefined {
  return time === "-" ? undefined : Math.round(Number(time) * 1000);
}

/** How the job ended, if it has. The time of day may have been set back meanwhile: no job ends before it starts. */
export function endIn(folder: string, record = readRecord(folder)): JobEnd | undefined {
  const { ended } = record;
  if (!ended) return undefined;
  const startedAtMs = record.owner === "nobody" ? null : (record.startedAtMs ?? madeAtMs(folder));
  const endedAtMs = ended.atMs ?? changedAtMs(folder);
  return {
    reason: reasonOf(record, ended.code),
    exitCode: ended.code,
    startedAtMs,
    endedAtMs: Math.max(endedAtMs, startedAtMs ?? 0),
    ...(ended.cpuMs !== undefined && { usage: { cpuMs: ended.cpuMs } }),
  };
}

function reasonOf(record: AttemptRecord, code: number | null): EndReason {
  if (record.owner === "nobody") return "not-started";
  return record.mark ?? (code === null ? "lost" : "exited");
}

function madeAtMs(folder: string): number {
  return Math.round(statSync(recordFile(folder)).birthtimeMs);
}

function changedAtMs(folder: string): number {
  return Math.round(statSync(recordFile(folder)).mtimeMs);
}

/** Keeps every supervisor from beginning, unless one has begun. Answers whether none has. */
export function claimForNobody(folder: string, atMs: number): boolean {
  const { owner } = readRecord(folder);
  if (owner !== undefined) return owner === "nobody";
  append(folder, `claimed nobody - - ${seconds(atMs)} 0 0 .`);
  crashPoint("claim-taken");
  return readRecord(folder).owner === "nobody";
}

export function mark(folder: string, reason: Mark): void {
  append(folder, `marked ${reason} .`);
  crashPoint("cancel-marked");
}

/** For an end that no supervisor wrote, and none will. */
export function recordEnd(folder: string, atMs: number): JobEnd {
  append(folder, `ended - ${seconds(atMs)} - .`);
  crashPoint("exit-written");
  return endIn(folder)!;
}

function append(folder: string, line: string): void {
  appendFileSync(recordFile(folder), `\n${line}\n`);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function recordFile(folder: string): string {
  return path.join(folder, "record");
}
