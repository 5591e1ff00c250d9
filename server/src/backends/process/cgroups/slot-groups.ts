import { mkdtempSync } from "node:fs";
import path from "node:path";
import { JOIN, madeFolder, maybeRemove } from "#backends/process/cgroups/group-files";

/** The control groups of a slot, with all processes of the slot's job. */
export interface SlotGroup {
  /** The folders of the groups. The first folder limits the number of processes. */
  readonly folders: readonly [string, ...string[]];
  /** The files by which a process joins the groups. */
  readonly joinFiles: readonly string[];
  /** The file with the processor time of the groups. Absent if the kernel does not count processor time. */
  readonly timeFile: string | undefined;
  /** Removes the groups, unless a process is left. */
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
