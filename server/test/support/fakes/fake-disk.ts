import type { DiskShortage, DiskSpace } from "#plumbing/files/disk-space";

/** A disk with a shortage set by the test. Initially, there is enough space. */
export function fakeDisk(): DiskSpace & { become(shortage: DiskShortage | undefined): void } {
  const listeners = new Set<(shortage: DiskShortage | undefined) => void>();
  let present: DiskShortage | undefined;
  return {
    shortage: () => present,
    space: () => ({ freeBytes: 2 ** 30, totalBytes: 2 ** 40, floorBytes: 2 ** 20 }),
    look: async () => undefined,
    makeRoom: () => undefined,
    withRoom: (work) => work(),
    ensureRoom: () => undefined,
    onChange: (listener) => void listeners.add(listener),
    become(shortage) {
      present = shortage;
      for (const listener of listeners) listener(shortage);
    },
  };
}
