import { readFile } from "node:fs/promises";
import type { FoundJob } from "#backends/process/keeper/find-job";
import type { OutsideCount, Watch } from "#backends/process/keeper/watch";
import { markIn, markOfJob, pids } from "#backends/process/table/marked-processes";
import { readProc, statFields } from "#backends/process/table/process-table";

/** Successive looks between two counts, unless this machine has many more threads than before. */
const LOOKS_BETWEEN_COUNTS = 10;

/**
 * Returns the processes of the job that can be counted outside its tree. A fork bomb leaves that tree, but not its control
 * group. Without one they are counted only while this machine has more threads than a job may have processes.
 */
export function countOutside(watch: Watch, { id, group }: FoundJob, limit: number): number {
  const inGroup = maybeCountOfGroup(watch.hostId, group);
  if (inGroup !== undefined) return inGroup;
  const threads = Number(readProc("/proc/loadavg")?.split(" ")[3]?.split("/")[1] ?? 0);
  if (threads <= limit) return 0;
  const { outside, looks } = watch;
  if (looks >= outside.countedAtLook + LOOKS_BETWEEN_COUNTS || threads > outside.threads + limit / 8) {
    Object.assign(outside, { countedAtLook: looks, threads, groups: countGroups() });
    if (!outside.isCounting) void countMarks(outside);
  }
  const ofGroup = outside.groups.get(group) ?? 0;
  return ofGroup > limit ? ofGroup : (outside.marks.get(markOfJob(watch.hostId, id)) ?? 0);
}

/**
 * Returns the processes of the job's control group, without its slot and the reader of its output. While there is no
 * reader, the job may have one process more than its limit.
 */
function maybeCountOfGroup(hostId: string, group: number): number | undefined {
  const place = maybeGroupFolder(hostId, group, "pids");
  const procs = place && readProc(`${place}/cgroup.procs`);
  return procs ? procs.trim().split("\n").length - 2 : undefined;
}

/** Returns the folder of the job's control group, if this server has made one for the job. */
export function maybeGroupFolder(hostId: string, group: number, controller: string): string | undefined {
  const lines = readProc(`/proc/${group}/cgroup`)?.split("\n") ?? [];
  const fields = lines.map((line) => /^\d+:([^:]*):(.*)$/.exec(line)?.slice(1) ?? []);
  const [, own] = fields.find(([name]) => name === controller) ?? [];
  const [, unified] = fields.find(([name]) => name === "") ?? [];
  const place =
    own === undefined ? unified && `/sys/fs/cgroup${unified}` : `/sys/fs/cgroup/${controller}${own}`;
  return place?.includes(`/reprise-${hostId}/`) ? place : undefined;
}

function countGroups(): Map<number, number> {
  return counted(pids().flatMap((pid) => Number(statFields(pid)?.[2] ?? []) || []));
}

/**
 * Counts the marks. That takes minutes on a machine that a fork bomb has slowed down: the environment of a process that
 * is starting another cannot be read. Looks go on while a thread of this process waits for it.
 */
async function countMarks(outside: OutsideCount): Promise<void> {
  outside.isCounting = true;
  const marks: string[] = [];
  for (const pid of pids()) {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    const mark = markIn(environment);
    if (typeof mark === "string") marks.push(mark);
  }
  Object.assign(outside, { marks: counted(marks), isCounting: false });
}

function counted<Key>(keys: readonly Key[]): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
