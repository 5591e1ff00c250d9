import { constants, copyFile as copyBySystem, open, stat } from "node:fs/promises";
import type { Clock } from "#plumbing/clock";
import { mayExecute, modeOf } from "#plumbing/files/file-mode";

export interface CopyOptions {
  readonly clock: Clock;
  readonly fsync?: boolean;
  /** Called with the number of bytes copied since the last call. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** Interval at which the size of the growing copy is read. */
const LOOK_EVERY_MS = 100;

/**
 * Copies a file to a name that does not exist yet, and returns its size. The copy is a clone if the file system can
 * share blocks. Otherwise the kernel copies, which takes half the processor time of reading and writing. The copy has
 * the mode of a new file here, and the execute bit of the original.
 */
export async function copyFile(
  source: string,
  target: string,
  { clock, fsync = false, onBytes = () => undefined }: CopyOptions,
): Promise<number> {
  const isExecutable = mayExecute((await stat(source)).mode);
  const handle = await open(target, "wx", modeOf(isExecutable));
  try {
    const { mode } = await handle.stat();
    const growth = watchGrowth(clock, async () => (await handle.stat()).size, onBytes);
    try {
      await copyBySystem(source, target, constants.COPYFILE_FICLONE);
    } finally {
      growth.end();
    }
    // The system's copy takes over the whole mode: a copy of a read-only file would be read-only.
    await handle.chmod(mode & 0o777);
    if (fsync) await handle.sync();
    const { size } = await handle.stat();
    growth.report(size);
    return size;
  } finally {
    await handle.close();
  }
}

/** Reports progress from the size of the copy, because the system call reports no progress. */
function watchGrowth(clock: Clock, sizeNow: () => Promise<number>, onBytes: (count: number) => void) {
  let reported = 0;
  let callOff: (() => void) | undefined;
  let hasEnded = false;
  const report = (size: number) => {
    if (size > reported) onBytes(size - reported);
    reported = Math.max(reported, size);
  };
  const look = async () => {
    const size = await sizeNow();
    if (hasEnded) return;
    report(size);
    callOff = clock.after(LOOK_EVERY_MS, lookSafely);
  };
  // An unreadable size does not stop the copy: the copy itself reports the problem.
  const lookSafely = () => void look().catch(() => undefined);
  callOff = clock.after(LOOK_EVERY_MS, lookSafely);
  return {
    report,
    end() {
      hasEnded = true;
      callOff?.();
    },
  };
}
