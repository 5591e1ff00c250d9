import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { ageTicksOf } from "#backends/process/keeper/age";
import { endJob } from "#backends/process/keeper/end-job";
import { maybeStartCount } from "#backends/process/keeper/file-count";
import {
  type FoundJob,
  type FoundSlot,
  isRunning,
  maybeFirstLine,
  maybeJob,
  maybeSlot,
  maySignal,
  note,
} from "#backends/process/keeper/find-job";
import { sampleGpus } from "#backends/process/keeper/gpu-use";
import { exactlyHeldKib, rootsOf, treeOf, useOf } from "#backends/process/keeper/measure";
import { countOutside, maybeGroupFolder } from "#backends/process/keeper/outside-count";
import { attempt } from "#backends/process/keeper/report";
import type { Watch } from "#backends/process/keeper/watch";
import { slotsFolder } from "#backends/process/slots/slots-folder";
import { pids as allPids } from "#backends/process/table/marked-processes";
import { readProc, statFields } from "#backends/process/table/process-table";
import { codeOf } from "#plumbing/errors";

/**
 * Number of successive looks that find a slot stopped before it is killed, if its job has ended: something prevents it from
 * recording the end, and the job is then lost. A slot without a job is killed too: it would never start another.
 */
const STOPPED_LOOKS_MAX = 10;

interface Seen {
  readonly jobs: number;
  /** The slots that were found stopped. */
  readonly stopped: number;
  readonly hasMemoryLimit: boolean;
}

/** Checks the job of each slot, and ends those that exceed a limit. */
export function lookAtAll(watch: Watch): Seen {
  watch.looks += 1;
  const slots = slotsFolder(watch.folder);
  const names = slotNames(slots);
  const jobs = names.flatMap((name) => attempt(() => look(watch, path.join(slots, name))) ?? []);
  for (const job of jobs) attempt(() => check(watch, job));
  attempt(() => void sampleGpus(watch, jobs));
  forgetOthers(watch, new Set(jobs.map(({ claim }) => claim)));
  return {
    jobs: jobs.length,
    stopped: watch.stopped.size,
    hasMemoryLimit: jobs.some(({ said }) => said.maxMemoryBytes > 0),
  };
}

/** The folder may have been deleted together with the data folder, or replaced by a job. */
function slotNames(slots: string): readonly string[] {
  try {
    return readdirSync(slots);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return [];
    throw error;
  }
}

function look(watch: Watch, file: string): FoundJob | undefined {
  const slot = maybeSlot(file);
  const job = maybeJob(slot);
  if (slot) endStuckSlot(watch, slot, job);
  return job;
}

function endStuckSlot({ stopped }: Watch, { pid, state }: FoundSlot, job: FoundJob | undefined): void {
  if (state !== "T") return void stopped.delete(pid);
  const looks = (stopped.get(pid) ?? 0) + 1;
  stopped.set(pid, looks);
  if (looks >= STOPPED_LOOKS_MAX && (!job || hasEnded(job.group))) maySignal(pid, "SIGKILL");
}

/** True for a zombie, and for a pid without a process. */
function hasEnded(pid: number): boolean {
  const fields = statFields(pid);
  return fields === undefined || fields[0] === "Z";
}

function forgetOthers({ ending, fileCounts }: Watch, claims: ReadonlySet<string>): void {
  for (const claim of ending) if (!claims.has(claim)) ending.delete(claim);
  for (const [claim, count] of fileCounts) {
    if (claims.has(claim)) continue;
    count.isCancelled = true;
    fileCounts.delete(claim);
  }
}

function check(watch: Watch, job: FoundJob): void {
  const { said } = job;
  checkUse(watch, job);
  if (said.maxFiles > 0) checkFiles(watch, job);
  const age = ageTicksOf(job.group);
  if (said.maxTicks > 0 && age >= said.maxTicks) endJob(watch, job, "time-limit");
  if (age >= watch.containerSeconds * 100 && isNotMade(watch, job)) endJob(watch, job, "not-started");
  checkOutput(watch, job);
}

/** Measures a job, ends the job above a limit, and records the usage. */
function checkUse(watch: Watch, job: FoundJob): void {
  const { maxProcesses, maxDiskBytes, maxMemoryBytes } = job.said;
  const roots = rootsOf(watch.folder, job);
  const pids = treeOf(roots.pids, maxProcesses || Infinity);
  if (maxProcesses > 0) {
    const number = Math.max(pids.length, countOutside(watch, job, maxProcesses));
    if (number > maxProcesses) return endJob(watch, job, "process-limit", number);
  }
  const use = useOf(pids, roots.isContained);
  if (maxDiskBytes > 0 && use.writtenBytes > maxDiskBytes) endJob(watch, job, "disk-limit", use.writtenBytes);
  if (maxMemoryBytes > 0) checkMemory(watch, job, use);
  recordUse(job, use);
}

function checkMemory(watch: Watch, job: FoundJob, { pids, heldKib }: ReturnType<typeof useOf>): void {
  const killedWith = maybeKilledForMemory(watch, job);
  if (killedWith !== undefined) return endJob(watch, job, "out-of-memory", killedWith, "exact");
  if (heldKib * 1024 <= job.said.maxMemoryBytes) return;
  const held = exactlyHeldKib(pids) * 1024;
  if (held > job.said.maxMemoryBytes) endJob(watch, job, "out-of-memory", held);
}

/**
 * Returns the memory that the job's control group has used, if the kernel has killed one of the job's processes for
 * memory: the others might wait for that one for ever.
 */
function maybeKilledForMemory({ hostId }: Watch, { group }: FoundJob): number | undefined {
  const place = maybeGroupFolder(hostId, group, "memory");
  if (place === undefined) return undefined;
  const read = (...names: readonly string[]) =>
    names.map((name) => readProc(`${place}/memory.${name}`) ?? "").join("\n");
  const killed = Number(/^oom_kill (\d+)$/m.exec(read("oom_control", "events"))?.[1] ?? 0);
  return killed > 0 ? Number(/^\d+$/m.exec(read("max_usage_in_bytes", "peak"))?.[0] ?? 0) : undefined;
}

/** Records what the job uses if it is much more than the record says. Steps of a sixteenth keep the record short. */
function recordUse(job: FoundJob, { memoryKib, cpuMs }: ReturnType<typeof useOf>): void {
  const { seenCpuMs = 0, peakBytes = 0 } = job.said;
  const isMuchMore = (now: number, before: number) => now > before + Math.floor(before / 16);
  if (isMuchMore(cpuMs, seenCpuMs)) note(job, "cpu", cpuMs);
  if (isMuchMore(memoryKib * 1024, peakBytes)) note(job, "peak", memoryKib * 1024);
}

function checkFiles(watch: Watch, job: FoundJob): void {
  const { maxFiles } = job.said;
  const count = watch.fileCounts.get(job.claim) ?? {
    isRunning: false,
    isCancelled: false,
    nextAtMs: 0,
    hasTooMany: false,
  };
  watch.fileCounts.set(job.claim, count);
  if (count.hasTooMany) endJob(watch, job, "file-limit", maxFiles + 1);
  else maybeStartCount(count, path.join(watch.folder, job.id), maxFiles);
}

/**
 * Returns whether podman's monitor has not made the job's container in time: if the monitor's helper is killed, the monitor
 * waits for ever, and podman for the monitor. Podman itself may take long before it starts the monitor, as for a large
 * image.
 */
function isNotMade({ folder, containerSeconds }: Watch, { id }: FoundJob): boolean {
  const own = path.join(folder, id);
  const isMade = () => Boolean(maybeFirstLine(path.join(own, "container.pid")));
  if (!existsSync(path.join(own, "container")) || isMade()) return false;
  if (!maybeFirstLine(path.join(own, "container"))?.includes('"name":"podman"')) return false;
  const name = new RegExp(`(^|\\0)reprise-[0-9a-f]+-${id}\\0`);
  const isOld = (pid: number) => ageTicksOf(pid) >= containerSeconds * 100;
  const waiting = allPids()
    .filter((pid) => name.test(readProc(`/proc/${pid}/cmdline`) ?? ""))
    .some(isOld);
  // The search took a while. Since then the container may have been made, and its command may run.
  return waiting && !isMade();
}

function checkOutput(watch: Watch, job: FoundJob): void {
  const bytes = statSync(job.slot.log, { throwIfNoEntry: false })?.size ?? 0;
  const { maxOutputBytes } = job.said;
  if (maxOutputBytes > 0 && bytes > maxOutputBytes && isRunning(job)) endJob(watch, job, "output-limit");
}
