import { DAMAGE, DamagedAttempt } from "#backends/process/attempt/damaged-attempt";
import type { ProcessIdentity } from "#backends/process/table/process-table";
import type { EndReason } from "#workflow/job/job";

/**
 * The record of an attempt: one file that is only ever appended to, by its supervisor, the keeper and the server. Each
 * writes whole lines, so the order of the lines decides who came first:
 *
 *     claimed PID BORN BOOT-ID TIME JOB-ID TIME-LIMIT OUTPUT-LIMIT [MEMORY-LIMIT [PROCESS-LIMIT DISK-LIMIT [FILE-LIMIT]]] .
 *                           the first one is the supervisor; "nobody" keeps every slot from claiming the job
 *     group PID .           the job's own process, which leads a process group
 *     marked REASON [USED [exact]] .
 *                           why it is being ended, or cannot count as a success; how much it used of what is limited,
 *                           sampled, or exact
 *     damaged PLACE WHAT .  what was found in the place of a file of the attempt: the job is lost
 *     peak BYTES .          the most memory that the job was seen to use; the last line counts
 *     cpu MS .              the processor time that a container was seen to have used; the last line counts
 *     gpu MS BYTES .        the time in which the job's GPUs were seen busy, and the most memory of the GPUs in use; the
 *                           most counts
 *     spent MS .            the processor time that the whole job had used when it was ended; the most counts
 *     counted MICROSECONDS .
 *                           the processor time that the supervisor's control group has used, as the kernel counts it
 *     ended CODE TIME .     the first one is the end
 *
 * Between these lines the processor time appears twice, from before the job and after it: as a line `counted`, or as the
 * output of `times`. A line counts only if it
 * is whole: a full disk, or a power cut, may leave a part of one. The file that the claim was written to has room for
 * the end, even if the disk is full when the job ends. A whole line that none of the three writes was forged by a job.
 */
export interface AttemptRecord {
  /** The whole line of the first claim. */
  readonly claim: string | undefined;
  readonly jobId: string | undefined;
  readonly owner: ProcessIdentity | "nobody" | undefined;
  readonly startedAtMs: number | undefined;
  /** Hundredths of a second, or 0 without a limit. */
  readonly maxTicks: number;
  readonly maxOutputBytes: number;
  readonly maxMemoryBytes: number;
  readonly maxProcesses: number;
  readonly maxDiskBytes: number;
  readonly maxFiles: number;
  /** The number of the job's own process and of its group. */
  readonly group: number | undefined;
  readonly mark: Mark | undefined;
  /** If the job was marked for using too much: how much it used, in bytes, processes or files. */
  readonly used: number;
  /** True if `used` was counted by the kernel, false if the keeper measured it. */
  readonly isUsedExact: boolean;
  readonly damage: Damage | undefined;
  readonly ended: { readonly code: number | null; readonly atMs?: number } | undefined;
  /** The time of the processes that the supervisor has waited for. */
  readonly cpuMs: number | undefined;
  /** The time of a container, as far as it was seen. */
  readonly seenCpuMs: number | undefined;
  /** The supervisor's own sum lacks processes whose parent ended first, as in a job that is ended. */
  readonly spentCpuMs: number | undefined;
  readonly peakBytes: number | undefined;
  /** Summed over the GPUs of the job. */
  readonly gpuBusyMs: number | undefined;
  readonly gpuPeakBytes: number | undefined;
}

export type Mark = Extract<
  EndReason,
  | "cancelled"
  | "time-limit"
  | "output-limit"
  | "output-lost"
  | "out-of-memory"
  | "process-limit"
  | "disk-limit"
  | "file-limit"
  | "not-started"
>;

export type Damage = Pick<DamagedAttempt, "place" | "found">;

/** Excludes process 1, which is never a job: a signal to its group would reach every process. */
const PID = String.raw`(?!1 )[1-9]\d{0,6}`;
/** Seconds, until the year 5138; `-` from a bash that cannot tell the time. */
const TIME = String.raw`-|\d{1,11}(?:\.\d{1,9})?`;
const COUNT = String.raw`\d{1,15}`;
const CLAIMED = new RegExp(
  `^claimed (nobody|${PID}) (-|${COUNT}) (\\S+) (${TIME}) \\S+ (${COUNT}) (${COUNT})(?: (${COUNT})(?: (${COUNT}) (${COUNT})(?: (${COUNT}))?)?)? \\.$`,
);
const GROUP = new RegExp(`^group (${PID}) \\.$`);
const MARKED =
  /^marked (cancelled|time-limit|output-limit|output-lost|not-started|(?:out-of-memory|process-limit|disk-limit|file-limit) (\d{1,15})( exact)?) \.$/;
const DAMAGED = new RegExp(`^damaged ${DAMAGE.source} \\.$`);
const PEAK = new RegExp(`^peak (${COUNT}) \\.$`);
const CPU = new RegExp(`^cpu (${COUNT}) \\.$`);
const GPU = new RegExp(`^gpu (${COUNT}) (${COUNT}) \\.$`);
const SPENT = new RegExp(`^spent (${COUNT}) \\.$`);
const COUNTED = new RegExp(`^counted (${COUNT}) \\.$`);
const ENDED = new RegExp(`^ended (-|\\d{1,3}) (${TIME}) \\.$`);
/**
 * `0m1.250s 0m0.500s`: the time that a shell has used itself as user and in the kernel. The next line is for its
 * children.
 */
const TIMES = /^(\d{1,8})m(\d\d?\.\d{1,6})s (\d{1,8})m(\d\d?\.\d{1,6})s$/;

const WRITTEN = [CLAIMED, GROUP, MARKED, DAMAGED, PEAK, CPU, GPU, SPENT, COUNTED, ENDED, TIMES];
const LOOKS_WRITTEN =
  /^(?:(?:claimed|group|marked|damaged|peak|cpu|gpu|spent|counted|ended) .* \.|\d+m\S*s \S*s)$/;

/** Parses a record. Throws a DamagedAttempt if the record holds a line that only a job can have written. */
export function parseRecord(lines: readonly string[]): AttemptRecord {
  if (lines.some(isForged)) throw new DamagedAttempt("record", "forged");
  const claimed = first(lines, CLAIMED);
  const group = first(lines, GROUP);
  const ended = first(lines, ENDED);
  const endedAt = lines.findIndex((line) => ENDED.test(line));
  const beforeEnd = endedAt === -1 ? lines : lines.slice(0, endedAt);
  const damaged = first(beforeEnd, DAMAGED);
  const marked = first(beforeEnd, MARKED);
  return {
    claim: claimed?.[0],
    jobId: claimed?.[0]?.split(" ")[5],
    owner: claimed && ownerOf(claimed),
    startedAtMs: msOf(claimed?.[4]),
    maxTicks: Number(claimed?.[5] ?? 0),
    maxOutputBytes: Number(claimed?.[6] ?? 0),
    maxMemoryBytes: Number(claimed?.[7] ?? 0),
    maxProcesses: Number(claimed?.[8] ?? 0),
    maxDiskBytes: Number(claimed?.[9] ?? 0),
    maxFiles: Number(claimed?.[10] ?? 0),
    group: group && Number(group[1]),
    mark: marked?.[1]?.split(" ")[0] as Mark | undefined,
    used: Number(marked?.[2] ?? 0),
    isUsedExact: marked?.[3] !== undefined,
    damage: damaged && ({ place: damaged[1], found: damaged[2] } as Damage),
    ended: ended && endOf(ended),
    cpuMs: cpuMsOf(lines),
    seenCpuMs: mostIn(beforeEnd, CPU),
    spentCpuMs: mostIn(beforeEnd, SPENT),
    peakBytes: mostIn(beforeEnd, PEAK),
    gpuBusyMs: mostIn(beforeEnd, GPU),
    gpuPeakBytes: mostIn(beforeEnd, GPU, 2),
  };
}

function isForged(line: string): boolean {
  return LOOKS_WRITTEN.test(line) && !WRITTEN.some((form) => form.test(line));
}

function mostIn(lines: readonly string[], form: RegExp, word = 1): number | undefined {
  const seen = lines.flatMap((line) => form.exec(line)?.[word] ?? []);
  return seen.length === 0 ? undefined : Math.max(...seen.map(Number));
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

/** Returns the time used by this job alone: the supervisor's earlier jobs are subtracted. */
function cpuMsOf(lines: readonly string[]): number | undefined {
  const times = matches(lines, TIMES);
  const [before, after] =
    times.length > 0
      ? [times[1], times[3]].map((match) => match && usedMs(match))
      : matches(lines, COUNTED).map(([, microseconds]) => Number(microseconds) / 1000);
  return before === undefined || after === undefined ? undefined : Math.max(0, Math.round(after - before));
}

function matches(lines: readonly string[], form: RegExp): readonly (readonly string[])[] {
  return lines.flatMap((line) => [form.exec(line) ?? []].filter((match) => match.length > 0));
}

function usedMs(match: readonly string[]): number {
  const [userMinutes, userSeconds, kernelMinutes, kernelSeconds] = match.slice(1).map(Number) as TimesFields;
  return ((userMinutes + kernelMinutes) * 60 + userSeconds + kernelSeconds) * 1000;
}

type TimesFields = [number, number, number, number];

export function wholeLines(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** Converts seconds with a fraction; `-` comes from a bash that cannot tell the time. */
function msOf(time: string | undefined): number | undefined {
  return time === undefined || time === "-" ? undefined : Math.round(Number(time) * 1000);
}

/**
 * Returns the record of an attempt whose files were damaged: it keeps every supervisor from starting, and says how the
 * attempt ended.
 */
export function damagedRecord({ place, found }: Damage, atMs: number): string {
  const at = seconds(atMs);
  return `\nclaimed nobody - - ${at} - 0 0 .\ndamaged ${place} ${found} .\nended - ${at} .\n`;
}

/**
 * The boot id in the record of a copy. It matches no machine, to keep every process from being taken for the
 * copy's.
 */
const ELSEWHERE = "elsewhere";
const BOOT_OF_CLAIM = /^(claimed \d+ \S+) \S+ /;

/** Returns the record for a copy, where the job has no process: without an end that counts, the job is lost. */
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

export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
