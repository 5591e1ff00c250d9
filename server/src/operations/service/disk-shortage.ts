import type { DiskShortage, DiskSpace } from "#plumbing/files/disk-space";
import { Refusal } from "#plumbing/errors";
import { shortSize } from "#plumbing/text/human-size";

/** Returns a sentence about the disk: the problem, the consequences, and the remedy. */
export function shortageSentence(shortage: DiskShortage): string {
  const ending = "Free some space, for example by deleting runs; then this continues by itself.";
  if (shortage.isFull) return `${fullDisk(shortage)}: no job starts and nothing can be stored. ${ending}`;
  const { freeBytes, floorBytes } = shortage;
  const space = `${shortSize(freeBytes)} free; the server keeps ${shortSize(floorBytes)} free`;
  return `The server's disk is nearly full (${space}): no job starts. ${ending}`;
}

/** Refuses a request to store more. Checks the disk again first, so recently freed space counts. */
export function refuseWhenFull(disk: Pick<DiskSpace, "shortage" | "look">): void {
  if (!disk.shortage()?.isFull) return;
  disk.look();
  const shortage = disk.shortage();
  if (!shortage?.isFull) return;
  const advice = "Free space on it, for example by deleting runs, or ask its administrator to.";
  throw new Refusal("no-space", `${fullDisk(shortage)}: nothing was stored. ${advice}`);
}

/**
 * Refuses a request that brings files while less is free than is kept free: an upload could fill the disk under running
 * jobs. Starts are not refused then. They wait in the queue, and continue by themselves.
 */
export function refuseFilesWhenLow(disk: Pick<DiskSpace, "shortage" | "look">): void {
  refuseWhenFull(disk);
  if (!disk.shortage()) return;
  disk.look();
  const shortage = disk.shortage();
  if (!shortage) return;
  const space = `${shortSize(shortage.freeBytes)} free; the server keeps ${shortSize(shortage.floorBytes)} free`;
  const advice = "Free some space, for example by deleting runs, then upload again.";
  throw new Refusal("no-space", `The server's disk is nearly full (${space}): no file was stored. ${advice}`);
}

function fullDisk({ freeBytes }: DiskShortage): string {
  return `The server's disk is full (${shortSize(freeBytes)} free)`;
}
