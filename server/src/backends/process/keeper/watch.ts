import { createGpuWatch, type GpuWatch } from "#backends/process/keeper/gpu-use";
import type { FileCount } from "#backends/process/keeper/file-count";

export interface KeeperPlace {
  /** The folder of the jobs. */
  readonly folder: string;
  readonly hostId: string;
  /** Time in which podman's monitor has to make a container. */
  readonly containerSeconds: number;
}

/** The last count of all processes of this machine. */
export interface OutsideCount {
  countedAtLook: number;
  /** Number of threads of this machine at the last count. */
  threads: number;
  /** The number of processes of each process group. */
  groups: ReadonlyMap<number, number>;
  /** The number of processes that carry each mark. */
  marks: ReadonlyMap<string, number>;
  /** True while marks are counted. */
  isCounting: boolean;
}

/** State of the keeper between two looks at the jobs. */
export interface Watch extends KeeperPlace {
  looks: number;
  /** The claims of the jobs that are being ended. */
  readonly ending: Set<string>;
  /** How many successive looks have found a slot stopped, by the slot's pid. */
  readonly stopped: Map<number, number>;
  /** The counts of files, by the claim of the job. */
  readonly fileCounts: Map<string, FileCount>;
  readonly outside: OutsideCount;
  readonly gpus: GpuWatch;
}

export function createWatch(place: KeeperPlace): Watch {
  return {
    ...place,
    looks: 0,
    ending: new Set(),
    stopped: new Map(),
    fileCounts: new Map(),
    outside: { countedAtLook: -Infinity, threads: 0, groups: new Map(), marks: new Map(), isCounting: false },
    gpus: createGpuWatch(),
  };
}
