import { statfsSync } from "node:fs";
import type { Runtime } from "#backends/container/runtime";
import { type DiskSize, floorOf } from "#plumbing/files/disk-space";
import { humanSize } from "#plumbing/text/human-size";

/** Measures the disk of a folder. Throws if there is no such folder. */
export type MeasureDisk = (folder: string) => DiskSize;

/**
 * Returns the free space for which containers of this runtime wait, as the end of a sentence. Undefined: there is enough,
 * or the runtime keeps its images on another machine.
 */
export function missingSpace(
  { name, storage }: Pick<Runtime, "name" | "storage">,
  measure: MeasureDisk = statfsSync,
): string | undefined {
  const disk = storage === "" ? undefined : maybeSize(storage, measure);
  if (!disk) return undefined;
  const { blocks, bavail, bsize } = disk;
  const floorBytes = floorOf(blocks * bsize);
  const freeBytes = bavail * bsize;
  if (blocks === 0 || freeBytes >= floorBytes) return undefined;
  return (
    `free space: ${name} keeps images and containers in ${storage}, where ${humanSize(freeBytes)} are free and ` +
    `${humanSize(floorBytes)} should be`
  );
}

function maybeSize(storage: string, measure: MeasureDisk): DiskSize | undefined {
  try {
    return measure(storage);
  } catch {
    return undefined; // docker may run on another machine
  }
}
