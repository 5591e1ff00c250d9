import type { DiskShortage, DiskSpace } from "#plumbing/files/disk-space";
import { Refusal } from "#plumbing/errors";
import { shortSize } from "#plumbing/text/human-size";

/** Returns a sentence about the disk: the problem, the consequences, and the remedy. */
export function shortageSentence(shortage: DiskShortage): string {
  const ending = "Free some space, for example by deleting runs; then this continues by itself.";
  if (shortage.isFull) return `${fullDisk(shortage)}: no job starts and nothing can be stored. ${ending}`;
  return `${nearlyFullDisk(shortage)}: no job starts. ${ending}`;
}

/** Refuses a request to store more. Checks the disk again first, so recently freed space counts. */
export async function refuseWhenFull(disk: Pick<DiskSpace, "shortage" | "look">): Promise<void> {
  if (!disk.shortage()?.isFull) return;
  await disk.look();
  const shortage = disk.shortage();
  if (!shortage?.isFull) return;
  const advice = "Free space on it, for example by deleting runs, or ask its administrator to.";
  throw new Refusal("no-space", `${fullDisk(shortage)}: nothing was stored. ${advice}`);
}

/**
 * Refuses a request that brings files while less is free than is kept free: an upload could fill the disk under running
 * jobs. Starts are not refused then. They wait in the queue, and continue by themselves.
 */
export async function refuseFilesWhenLow(disk: Pick<DiskSpace, "shortage" | "look">): Promise<void> {
  await refuseWhenFull(disk);
  if (!disk.shortage()) return;
  await disk.look();
  const shortage = disk.shortage();
  if (!shortage) return;
  const advice = "Free some space, for example by deleting runs, then upload again.";
  throw new Refusal("no-space", `${nearlyFullDisk(shortage)}: no file was stored. ${advice}`);
}

function fullDisk(shortage: DiskShortage): string {
  return `${nameOf(shortage)} is full (${shortSize(shortage.freeBytes)} free)`;
}

function nearlyFullDisk(shortage: DiskShortage): string {
  const { freeBytes, floorBytes } = shortage;
  const space = `${shortSize(freeBytes)} free; the server keeps ${shortSize(floorBytes)} free`;
  return `${nameOf(shortage)} is nearly full (${space})`;
}

function nameOf({ isShared }: DiskShortage): string {
  return isShared ? "The disk of the shared folder" : "The server's disk";
}
