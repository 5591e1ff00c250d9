import { statfsSync } from "node:fs";
import type { Runtime } from "#backends/containers/runtime";
import { diskFloor, type DiskFloor, type DiskSize } from "#plumbing/files/disk-space";
import { humanSize } from "#plumbing/text/human-size";

/** Measures the disk of a folder. Throws if the folder does not exist. */
export type MeasureDisk = (folder: string) => DiskSize;

interface SpaceOptions {
  readonly floorOf?: DiskFloor | undefined;
  /** Replaces the look at the disk. */
  readonly measure?: MeasureDisk | undefined;
}

/**
 * Returns the free space for which containers of this runtime wait, as the end of a sentence. Undefined if
 * the space is enough, or the runtime keeps its images on another machine.
 */
export function missingSpace(
  { name, storage }: Pick<Runtime, "name" | "storage">,
  { floorOf = diskFloor({}), measure = statfsSync }: SpaceOptions = {},
): string | undefined {
  const disk = storage === "" ? undefined : maybeSize(storage, measure);
  if (!disk) return undefined;
  const { blocks, bavail, bsize } = disk;
  const floorBytes = floorOf(blocks * bsize);
  const freeBytes = bavail * bsize;
  if (blocks === 0 || freeBytes >= floorBytes) return undefined;
  return (
    `free space: ${name} keeps images and containers in ${storage}, which has ${humanSize(freeBytes)} free ` +
    `and needs at least ${humanSize(floorBytes)}`
  );
}

function maybeSize(storage: string, measure: MeasureDisk): DiskSize | undefined {
  try {
    return measure(storage);
  } catch {
    return undefined; // docker may run on another machine
  }
}
