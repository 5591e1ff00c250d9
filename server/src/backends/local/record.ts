import { appendFileSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { ProcessIdentity } from "#backends/local/process-table";
import { crashPoint } from "#plumbing/crash-points";
import { codeOf } from "#plumbing/errors";
import { humanSize } from "#plumbing/human-size";
import type { EndReason, JobEnd } from "#workflow/job";

/**
 * The record of an attempt: one file that is only ever appended to, by its supervisor, the keeper and the server. Each
 * writes whole lines, so the order of the lines decides who came first:
 *
 *     claimed PID BORN BOOT-ID TIME JOB-ID TIME-LIMIT OUTPUT-LIMIT .
 *                           the first one is the supervisor; "nobody" keeps others off
 *     group PID .           the job's own process, which leads a process group
 *     marked REASON .       why it is being ended, or does not count as well ended
 *     ended CODE TIME .     the first one is the end
 *
 * Between them stands twice what `times` prints, before the job and after it. A line counts when it is whole: a full
 * disk, or a power cut, may leave a part of one. In the file that the claim has made room for, the end finds a place
 * even when the disk is full by then.
 */
export interface AttemptRecord {
  readonly owner: ProcessIdentity | "nobody" | undefined;
  readonly startedAtMs: number | undefined;
  readonly maxOutputBytes: number;
  /** The number of the job's own process and of its group. */
  readonly group: number | undefined;
  readonly mark: Mark | undefined;
  readonly ended: { readonly code: number | null; readonly atMs?: number } | undefined;
  readonly cpuMs: number | undefined;
}

export type Mark = Extract<EndReason, "cancelled" | "time-limit" | "output-limit" | "output-lost">;

const CLAIMED = /^claimed (nobody|\d+) (\S+) (\S+) (\S+) \S+ \d+ (\d+) \.$/;
const GROUP = /^group (\d+) \.$/;
const MARKED = /^marked (cancelled|time-limit|output-limit|output-lost) \.$/;
const ENDED = /^ended (-|\d+) (\S+) \.$/;
/** `0m1.250s 0m0.500s`: what a shell has used itself as user and in the kernel; the next line is for what it waited for. */
const TIMES = /^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$/;

export function readRecord(folder: string): AttemptRecord {
  const lines = linesOf(folder);
  const claimed = first(lines, CLAIMED);
  const group = first(lines, GROUP);
  const ended = first(lines, ENDED);
  const endedAt = lines.findIndex((line) => ENDED.test(line));
  const marked = first(endedAt === -1 ? lines : lines.slice(0, endedAt), MARKED);
  return {
    owner: claimed && ownerOf(claimed),
    startedAtMs: msOf(claimed?.[4]),
    maxOutputBytes: Number(claimed?.[5] ?? 0),
    group: group && Number(group[1]),
    mark: marked?.[1] as Mark | undefined,
    ended: ended && endOf(ended),
    cpuMs: cpuMsOf(lines),
  };
}

function first(lines: readonly string[], form: RegExp): readonly string[] | undefined {
  for (const line of lines) {
    const match = form.exec(line);
    if (match) return match;
  }
  return undefined;
}

function ownerOf([, pid, born, bootId]: readonly string[]): AttemptRecord["owner"] {
  return pid === "nobody" ? pid : { pid: Number(pid), born: born!, bootId: bootId! };
}

function endOf([, code, time]: readonly string[]): AttemptRecord["ended"] {
  const atMs = msOf(time);
  return { code: code === "-" ? null : Number(code), ...(atMs !== undefined && { atMs }) };
}

/** A supervisor has other jobs before: what it had waited for by then does not count. */
function cpuMsOf(lines: readonly string[]): number | undefined {
  const times = lines.flatMap((line) => [TIMES.exec(line) ?? []].filter((match) => match.length > 0));
  const [before, after] = [times[1], times[3]].map((match) => match && usedMs(match));
  return before === undefined || after === undefined ? undefined : Math.max(0, Math.round(after - before));
}

function usedMs(match: readonly string[]): number {
  const [userMinutes, userSeconds, kernelMinutes, kernelSeconds] = match.slice(1).map(Number) as TimesFields;
  return ((userMinutes + kernelMinutes) * 60 + userSeconds + kernelSeconds) * 1000;
}

type TimesFields = [number, number, number, number];

function linesOf(folder: string): string[] {
  try {
    return readFileSync(recordFile(folder), "latin1").split("\n").slice(0, -1);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Seconds with a fraction; `-` from a bash that cannot tell the time. */
function msOf(time: string | undefined): number | undefined {
  return time === undefined || time === "-" ? undefined : Math.round(Number(time) * 1000);
}

/** How the job ended, if it has. The time of day may have been set back meanwhile: no job ends before it starts. */
export function endIn(folder: string, record = readRecord(folder)): JobEnd | undefined {
  const { ended, cpuMs } = record;
  if (!ended) return undefined;
  const startedAtMs = record.owner === "nobody" ? null : (record.startedAtMs ?? madeAtMs(folder));
  const endedAtMs = ended.atMs ?? changedAtMs(folder);
  const reason = reasonOf(record, ended.code);
  return {
    reason,
    exitCode: ended.code,
    startedAtMs,
    endedAtMs: Math.max(endedAtMs, startedAtMs ?? 0),
    ...(reason === "output-limit" && { detail: `It may print ${humanSize(record.maxOutputBytes)}.` }),
    ...(cpuMs !== undefined && { usage: { cpuMs } }),
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
  append(folder, `claimed nobody - - ${seconds(atMs)} - 0 0 .`);
  crashPoint("claim-taken");
  return readRecord(folder).owner === "nobody";
}

export function mark(folder: string, reason: Mark): void {
  append(folder, `marked ${reason} .`);
  crashPoint("cancel-marked");
}

/** For an end that no supervisor wrote, and none will. */
export function recordEnd(folder: string, atMs: number): JobEnd {
  append(folder, `ended - ${seconds(atMs)} .`);
  crashPoint("exit-written");
  return endIn(folder)!;
}

/** In the record of a copy: no boot of any machine, so that no process is taken for the copy's. */
const ELSEWHERE = "elsewhere";
const BOOT_OF_CLAIM = /^(claimed \d+ \S+) \S+ /;

/** What the record says in a copy, where no process of the job is: without an end that counts, the job is lost. */
export function recordOfCopy(
  text: string,
  { endCounts, atMs }: { readonly endCounts: boolean; readonly atMs: number },
): string {
  const whole = text.split("\n").slice(0, -1);
  const lines = whole.map((line) => line.replace(BOOT_OF_CLAIM, `$1 ${ELSEWHERE} `));
  if (endCounts && lines.some((line) => ENDED.test(line))) return `${lines.join("\n")}\n`;
  const unended = lines.filter((line) => !ENDED.test(line));
  return `${[...unended, `ended - ${seconds(atMs)} .`].join("\n")}\n`;
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
