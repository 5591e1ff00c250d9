import { statfs as statfsOf } from "node:fs/promises";
import {
  type DiskFloor,
  type DiskShortage,
  type DiskSize,
  type DiskSpace,
  type DiskUse,
  fullBelow,
} from "#plumbing/files/disk-space";

interface SharedDiskOptions {
  readonly folder: string;
  /** No job starts while less is free. */
  readonly floorOf: DiskFloor;
  readonly statfs?: (folder: string) => Promise<DiskSize>;
}

/**
 * Watches the disk of the shared folder together with the server's own. The reserve stays on the own disk. The shared
 * disk is measured by a thread, because a network disk that hangs must not stop the server.
 */
export async function withSharedDisk(own: DiskSpace, options: SharedDiskOptions): Promise<DiskSpace> {
  const { folder, floorOf, statfs = statfsOf } = options;
  const listeners = new Set<(shortage: DiskShortage | undefined) => void>();
  let use = await measure();
  let announced = shortage();
  let measuring: Promise<void> | undefined;

  /** Returns undefined if the disk does not report its size. */
  async function measure(): Promise<DiskUse | undefined> {
    const { blocks, bavail, bsize } = await statfs(folder);
    const totalBytes = blocks * bsize;
    if (totalBytes === 0) return undefined;
    return { freeBytes: bavail * bsize, totalBytes, floorBytes: floorOf(totalBytes) };
  }

  /** Returns the worse shortage of the two disks. */
  function shortage(): DiskShortage | undefined {
    const found = [own.shortage(), sharedShortage(use)];
    return found.find((one) => one?.isFull) ?? found.find((one) => one !== undefined);
  }

  function announce(): void {
    const before = announced;
    announced = shortage();
    if (before?.isFull === announced?.isFull && before?.isShared === announced?.isShared) return;
    for (const listener of listeners) listener(announced);
  }

  /** Requests share a measurement: a hanging disk must not block all threads. */
  function lookAtShared(): Promise<void> {
    measuring ??= measureAgain().finally(() => (measuring = undefined));
    return measuring;
  }

  async function measureAgain(): Promise<void> {
    use = await measure();
    announce();
  }

  own.onChange(announce);
  return {
    ...own,
    shortage,
    sharedSpace: () => use,
    async look() {
      await own.look();
      await lookAtShared();
    },
    onChange: (listener) => void listeners.add(listener),
  };
}

function sharedShortage(use: DiskUse | undefined): DiskShortage | undefined {
  if (!use) return undefined;
  const { freeBytes, totalBytes, floorBytes } = use;
  const isFull = freeBytes < fullBelow(totalBytes);
  return isFull || freeBytes < floorBytes ? { isFull, freeBytes, floorBytes, isShared: true } : undefined;
}
