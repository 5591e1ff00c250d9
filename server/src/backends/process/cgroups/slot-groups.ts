import { mkdtempSync } from "node:fs";
import path from "node:path";
import { JOIN, madeFolder, maybeRemove } from "#backends/process/cgroups/group-files";

/** The control groups of a slot: they hold the processes of the slot's job, wherever they go. */
export interface SlotGroup {
  /** Their folders: that in which the number of processes is limited is the first. */
  readonly folders: readonly [string, ...string[]];
  /** The files by which a process joins them. */
  readonly joinFiles: readonly string[];
  /** The file that says how much processor time they have used. Absent: the kernel does not count it. */
  readonly timeFile: string | undefined;
  /** Removes them, unless a process is left in one. */
  remove(): void;
}

/** The file with the processor time of a group: in nanoseconds, or in lines, the first of which is in microseconds. */
const TIME_FILE = { 1: "cpuacct.usage", 2: "cpu.stat" } as const;

/** Makes the groups of a slot in these folders. Version 1 counts processor time in a tree of its own, if at all. */
export function makeSlotGroup(version: 1 | 2, slots: string, counters: string | undefined): SlotGroup {
  const limited = mkdtempSync(path.join(slots, "slot-"));
  const ownCounter = counters && madeFolder(path.join(counters, path.basename(limited)));
  const counted = version === 2 ? limited : ownCounter;
  const folders = [limited, ...(ownCounter === undefined ? [] : [ownCounter])] as const;
  return {
    folders,
    joinFiles: folders.map((folder) => path.join(folder, JOIN[version])),
    timeFile: counted && path.join(counted, TIME_FILE[version]),
    remove: () => folders.forEach(maybeRemove),
  };
}
