import { closeSync, openSync, type StatsFs, statfsSync, statSync, truncateSync, writeSync } from "node:fs";
import { isDiskFull } from "#plumbing/errors";
import type { Random } from "#plumbing/ids";

/**
 * Watches the free space of one disk, and keeps a reserve file there. When the disk is full, the reserve is
 * released piece by piece, so that runs can still be stopped and deleted, which frees more.
 */
export interface DiskSpace {
  /** Returns the shortage that the last look found, if any. */
  shortage(): DiskShortage | undefined;
  /** Returns the size of the disk, or undefined if the disk does not report its size. */
  space(): DiskUse | undefined;
  /** Returns the size of the disk of the shared folder. Absent if the server shares none. */
  sharedSpace?(): DiskUse | undefined;
  /** Measures the free space, and refills the reserve if there is enough. */
  look(): Promise<void>;
  /** Releases a piece of the reserve. Call it after the disk has refused a write. */
  makeRoom(): void;
  /** Repeats the work, with more room each time, while the disk refuses it and some of the reserve is left. */
  withRoom<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Looks, and makes room if hardly any is left. For changes that free space, but have to write a little themselves.
   */
  ensureRoom(): void;
  /** Calls the listener when a shortage starts, changes its kind, or ends. */
  onChange(listener: (shortage: DiskShortage | undefined) => void): void;
}

/** The disk of a process that never writes. It is never short of space. */
export const UNWATCHED_DISK: DiskSpace = {
  shortage: () => undefined,
  space: () => undefined,
  look: async () => undefined,
  makeRoom: () => undefined,
  withRoom: (work) => work(),
  ensureRoom: () => undefined,
  onChange: () => undefined,
};

export interface DiskUse {
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly floorBytes: number;
}

export interface DiskShortage {
  /** True if nothing more can be stored. Otherwise less space is free than should be. */
  readonly isFull: boolean;
  readonly freeBytes: number;
  readonly floorBytes: number;
  /** Set if the disk of the shared folder is short of space. */
  readonly isShared?: true;
}

interface DiskSpaceOptions {
  /** The reserve file on the watched disk. Only the watcher may create or resize it. */
  readonly reserveFile: string;
  readonly folder: string;
  /** No job starts while less is free. */
  readonly floorOf: DiskFloor;
  readonly random: Pick<Random, "bytes">;
  readonly statfs?: (folder: string) => DiskSize;
}

/** The total and free blocks of a disk. */
export type DiskSize = Pick<StatsFs, "blocks" | "bavail" | "bsize">;

const FLOOR_BYTES = 64 * 2 ** 20;
const FLOOR_SHARE = 1 / 20;
const RESERVE_BYTES = 4 * 2 ** 20;
const RESERVE_SHARE = 1 / 40;
/** Number of pieces of the reserve: a job that fills the disk takes each piece as soon as it is free. */
const PIECES = 4;
const BLOCK_BYTES = 4096;

export function openDiskSpace(options: DiskSpaceOptions): DiskSpace {
  const { folder, reserveFile, floorOf, random, statfs = statfsSync } = options;
  const { blocks, bsize: blockBytes } = statfs(folder);
  const totalBytes = blocks * blockBytes;
  const pieceBytes = fullBelow(totalBytes);
  const wholeBytes = PIECES * pieceBytes;
  const floorBytes = floorOf(totalBytes);
  const listeners = new Set<(shortage: DiskShortage | undefined) => void>();
  let shortage: DiskShortage | undefined;

  function look(): void {
    // Some network disks do not report their size. Only a refused write reveals a full disk.
    if (totalBytes === 0) return;
    const missingBytes = wholeBytes - reserveBytes();
    if (missingBytes > 0 && freeBytes() >= missingBytes + wholeBytes) tryToFill();
    note(reserveBytes() < wholeBytes);
  }

  function note(isReserveUsed: boolean): void {
    const free = freeBytes();
    const isFull = isReserveUsed || free < pieceBytes;
    const before = shortage;
    shortage = isFull || free < floorBytes ? { isFull, freeBytes: free, floorBytes } : undefined;
    if (before?.isFull === shortage?.isFull) return;
    for (const listener of listeners) listener(shortage);
  }

  /** Refills the reserve if the disk allows. A disk that refuses a part is full, even if it reports free space. */
  function tryToFill(): void {
    try {
      fill(reserveFile, wholeBytes, random);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  }

  function freeBytes(): number {
    const { bavail, bsize } = statfs(folder);
    return bavail * bsize;
  }

  function reserveBytes(): number {
    return statSync(reserveFile, { throwIfNoEntry: false })?.size ?? 0;
  }

  function makeRoom(): void {
    const bytes = reserveBytes();
    if (bytes > 0) truncateSync(reserveFile, Math.max(0, bytes - pieceBytes));
    if (totalBytes > 0) note(true);
  }

  return {
    shortage: () => shortage,
    space: () => (totalBytes === 0 ? undefined : { freeBytes: freeBytes(), totalBytes, floorBytes }),
    look: async () => look(),
    makeRoom,
    withRoom: (work) => retryWithRoom(work, { hasReserve: () => reserveBytes() > 0, makeRoom }),
    ensureRoom() {
      look();
      if (shortage && shortage.freeBytes < pieceBytes) makeRoom();
    },
    onChange: (listener) => void listeners.add(listener),
  };
}

/** Repeats the work after each piece of the reserve, as long as the disk is full and there is a reserve. */
async function retryWithRoom<Result>(
  work: () => Promise<Result>,
  { hasReserve, makeRoom }: { readonly hasReserve: () => boolean; readonly makeRoom: () => void },
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error) || !hasReserve()) throw error;
      makeRoom();
    }
  }
}

/** Returns the space to keep free on a disk of the given size. */
export type DiskFloor = (totalBytes: number) => number;

/** Returns the floor that the settings demand: 64 MiB, or a twentieth of a smaller disk, unless the size is set. */
export function diskFloor({ minFreeBytes }: { readonly minFreeBytes?: number | undefined }): DiskFloor {
  return (totalBytes) => minFreeBytes ?? Math.min(FLOOR_BYTES, totalBytes * FLOOR_SHARE);
}

/** Returns the free space under which a disk is full. A piece of the reserve has this size. */
export function fullBelow(totalBytes: number): number {
  const bytes = Math.min(RESERVE_BYTES, totalBytes * RESERVE_SHARE) / PIECES;
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** More than a compressing disk looks at together. */
const PATTERN_BYTES = 256 * 1024;

/** Fills the reserve with random bytes, because a compressing disk keeps no room for zeros. */
function fill(file: string, wholeBytes: number, random: Pick<Random, "bytes">): void {
  const fd = openSync(file, "a", 0o600);
  try {
    const pattern = random.bytes(PATTERN_BYTES);
    for (let left = wholeBytes - statSync(file).size; left > 0;) {
      left -= writeSync(fd, pattern, 0, Math.min(left, PATTERN_BYTES));
    }
  } finally {
    closeSync(fd);
  }
}
