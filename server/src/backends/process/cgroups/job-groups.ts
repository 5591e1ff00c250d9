import { readFileSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { type Controller, CONTROLLERS, type FoundCgroups } from "#backends/process/cgroups/find-cgroups";
import {
  JOIN,
  madeFolder,
  maybeRemove,
  maybeWrite,
  PROCS,
  subfolders,
  write,
} from "#backends/process/cgroups/group-files";
import { makeSlotGroup, type SlotGroup } from "#backends/process/cgroups/slot-groups";
import { type Clock, systemClock } from "#plumbing/clock";
import type { Limits } from "#workflow/job/job";

/** The period over which the kernel counts processor time, and the minimum quota per period. */
const PERIOD_US = 100_000;
const QUOTA_MIN_US = 1000;
/** The share of the machine's process numbers that all jobs together may use. The server and the keeper keep the rest. */
const JOBS_SHARE = 0.8;
/** Limit of the kernel on processes and threads of a job, as a multiple of the limit on processes. */
const OVERSHOOT_TIMES = 2;
/** Room for the slot, the reader of its output, and the threads of a container runtime's client. */
const SLOT_PROCESSES = 64;
/** Time that a group without a process stays. Processes join a new group within milliseconds. */
const UNUSED_MS = 60_000;

type UsableCgroups = Extract<FoundCgroups, { version: 1 | 2 }>;

/**
 * The control groups of this host's jobs: one for each job with a limit of memory or cores, below one for all
 * jobs.
 */
export interface JobGroups {
  /** The limits that the kernel enforces for a job. */
  readonly controllers: readonly Controller[];
  /** True if the groups of slots count the processor time of jobs without a separate group. */
  readonly countTime: boolean;
  /** Makes a group for a slot, which contains a fork bomb. Undefined: the kernel cannot limit the number of processes. */
  forSlot(): SlotGroup | undefined;
  /**
   * Makes the groups of a job. Returns words for slot.sh: the file that counts kills for memory, the file that says how
   * much memory was used, and the files by which a process joins. Undefined: the job has no such limit.
   */
  make(id: string, limits: Limits | undefined): readonly string[] | undefined;
  /**
   * Removes the groups of a job that has ended, except groups with a leftover process: call again after its
   * end.
   */
  remove(id: string): void;
  /**
   * Removes the groups of this host without processes, when its server stops. Returns whether all groups are
   * gone. The next server removes the rest.
   */
  close(): boolean;
}

interface JobGroupsOptions {
  /** Limit on simultaneous processes of a job; the kernel allows twice as many. Default: no limit. */
  readonly maxProcesses?: number | undefined;
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Opens the groups for the jobs of this host, and removes leftover groups of earlier servers and their jobs.
 */
export function openJobGroups(
  found: UsableCgroups,
  hostId: string,
  { maxProcesses = Infinity, clock = systemClock }: JobGroupsOptions = {},
): JobGroups {
  const { version, parents, mustMove, counter } = found;
  const controllers = CONTROLLERS.filter((one) => parents[one] !== undefined);
  const baseOf = (controller: Controller) =>
    parents[controller] && path.join(parents[controller], `${PREFIX}${hostId}`);
  const counterBase = counter && path.join(counter, `${PREFIX}${hostId}`);
  const bases = [...new Set([...controllers.map(baseOf), counterBase].filter((base) => base !== undefined))];
  if (version === 2) delegate(path.dirname(bases[0]!), mustMove === true, controllers);
  for (const base of bases) removeUnused(base, clock.now() - UNUSED_MS);
  // Most jobs have no group, and a call that fails takes longer than all others at the end of a small job.
  const withGroups = new Set(bases.flatMap(subfolders));

  /** Returns a folder in the host's folder. Another server may have removed an unused folder. */
  function madeIn(controller: Controller, name: string): string | undefined {
    const base = baseOf(controller);
    if (base === undefined) return undefined;
    madeFolder(base);
    if (version === 2) enable(base, controllers);
    const folder = madeFolder(path.join(base, name));
    touch(folder, clock);
    return folder;
  }

  /** The kernel also counts threads: a job with many threads has room. The keeper counts processes. */
  function limitProcesses(folder: string): void {
    if (Number.isFinite(maxProcesses))
      write(folder, "pids.max", OVERSHOOT_TIMES * maxProcesses + SLOT_PROCESSES);
  }

  return {
    controllers,
    countTime: parents.pids !== undefined && (version === 2 || counter !== undefined),
    forSlot() {
      const slots = madeIn("pids", SLOTS);
      if (slots === undefined) return undefined;
      write(path.dirname(slots), "pids.max", Math.floor(processNumbers() * JOBS_SHARE));
      if (version === 2) write(slots, "cgroup.subtree_control", "+pids");
      const group = makeSlotGroup(version, slots, counterBase && path.join(counterBase, SLOTS));
      for (const folder of group.folders) touch(path.dirname(folder), clock);
      limitProcesses(group.folders[0]);
      return group;
    },
    make(id, { memoryBytes, cores } = {}) {
      if (memoryBytes !== undefined || cores !== undefined) withGroups.add(id);
      const memory = memoryBytes === undefined ? undefined : madeIn("memory", id);
      const cpu = cores === undefined ? undefined : madeIn("cpu", id);
      if (memory !== undefined) limitMemory(version, memory, memoryBytes!);
      if (cpu !== undefined) limitCores(version, cpu, cores!);
      // With version 2 the job leaves the group of its slot.
      const only = memory ?? cpu;
      if (version === 2 && only !== undefined && parents.pids !== undefined) limitProcesses(only);
      const folders = new Set([memory, cpu].filter((folder) => folder !== undefined));
      if (folders.size === 0) return undefined;
      const counts = memory === undefined ? ["", ""] : COUNTS[version].map((name) => path.join(memory, name));
      return [...counts, ...[...folders].map((folder) => path.join(folder, JOIN[version]))];
    },
    remove(id) {
      if (!withGroups.has(id)) return;
      if (bases.map((base) => maybeRemove(path.join(base, id))).every(Boolean)) withGroups.delete(id);
    },
    close: () => bases.flatMap((base) => [...withSlots(base), base].map(maybeRemove)).every(Boolean),
  };
}

const PREFIX = "reprise-";
const SLOTS = "slots";
/** The files with the number of kills for memory, and the peak memory. */
const COUNTS = {
  1: ["memory.oom_control", "memory.max_usage_in_bytes"],
  2: ["memory.events", "memory.peak"],
} as const;

/** The kernel sets the time of a folder at the first look, not when a server uses the folder. */
function touch(folder: string, clock: Pick<Clock, "now">): void {
  const now = clock.now() / 1000;
  utimesSync(folder, now, now);
}

/**
 * Removes groups without a process: groups of ended jobs of this host, and groups of hosts that have run no job since a
 * time. The first process of a newer group may be about to join it.
 */
function removeUnused(base: string, since: number): void {
  for (const folder of withSlots(base)) maybeRemove(folder);
  const parent = path.dirname(base);
  for (const name of subfolders(parent).filter((one) => one.startsWith(PREFIX))) {
    const slots = path.join(parent, name, SLOTS);
    if (!isOlder(slots, since)) continue;
    for (const folder of withSlots(path.join(parent, name))) maybeRemove(folder);
    maybeRemove(path.join(parent, name));
  }
}

/** Returns the groups below a host's group, each after its subgroups. */
function withSlots(base: string): string[] {
  const below = (folder: string) => subfolders(folder).map((name) => path.join(folder, name));
  return [...below(path.join(base, SLOTS)), ...below(base)];
}

function isOlder(folder: string, since: number): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs < since;
}

/** Lets the groups below a folder enforce limits. The server leaves the folder first if necessary. */
function delegate(folder: string, mustMove: boolean, controllers: readonly Controller[]): void {
  if (mustMove) write(madeFolder(path.join(folder, "server")), PROCS, process.pid);
  enable(folder, controllers);
}

function enable(folder: string, controllers: readonly Controller[]): void {
  write(folder, "cgroup.subtree_control", controllers.map((one) => `+${one}`).join(" "));
}

/**
 * With version 1 the limit that includes swap cannot be below the limit on memory, and is absent on machines
 * that do not count swap.
 */
function limitMemory(version: 1 | 2, folder: string, bytes: number): void {
  if (version === 2) {
    write(folder, "memory.max", bytes);
    maybeWrite(folder, "memory.swap.max", 0);
  } else {
    write(folder, "memory.limit_in_bytes", bytes);
    maybeWrite(folder, "memory.memsw.limit_in_bytes", bytes);
  }
}

function limitCores(version: 1 | 2, folder: string, cores: number): void {
  const quota = Math.max(QUOTA_MIN_US, Math.round(cores * PERIOD_US));
  if (version === 2) return write(folder, "cpu.max", `${quota} ${PERIOD_US}`);
  write(folder, "cpu.cfs_period_us", PERIOD_US);
  write(folder, "cpu.cfs_quota_us", quota);
}

function processNumbers(): number {
  return Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
}
