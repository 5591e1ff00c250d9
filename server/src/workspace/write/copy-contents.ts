import { constants, type PathLike } from "node:fs";
import { copyFile, type FileHandle, open, statfs } from "node:fs/promises";
import { codeOf, Refusal } from "#plumbing/errors";
import { humanSize } from "#plumbing/text/human-size";

export interface CopyOrder {
  readonly bytes: number;
  readonly signal: AbortSignal;
}

/**
 * The kernel copies files up to this size in one call that cannot be interrupted. Larger files are copied in
 * chunks.
 */
const AT_ONCE_BYTES = 8 << 20;
const CHUNK_BYTES = 1 << 20;

/**
 * Copies the contents of a file to a name that does not exist yet. The copy is a clone if the file system can share
 * blocks (Btrfs, XFS, bcachefs). Aborting breaks off the copy after the current chunk; the caller then removes it.
 */
export async function copyContents(
  source: PathLike,
  target: string,
  { bytes, signal }: CopyOrder,
): Promise<void> {
  signal.throwIfAborted();
  if (bytes <= AT_ONCE_BYTES)
    return copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  if (await isCloned(source, target)) return;
  await refuseTooLarge(target, bytes);
  await copyChunks(source, target, signal);
}

async function isCloned(source: PathLike, target: string): Promise<boolean> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (["ENOTSUP", "EOPNOTSUPP", "ENOSYS", "ENOTTY", "EXDEV", "EINVAL"].includes(codeOf(error) ?? ""))
      return false;
    throw error;
  }
}

/** Refuses a copy that cannot fit, before it takes the rest of the disk from everybody else. */
async function refuseTooLarge(target: string, bytes: number): Promise<void> {
  const { bavail, bsize, blocks } = await statfs(target.slice(0, target.lastIndexOf("/") + 1));
  const freeBytes = bavail * bsize;
  // Some network disks do not report their size.
  if (blocks === 0 || bytes <= freeBytes) return;
  const sentence = `The copy needs ${humanSize(bytes)}, and ${humanSize(freeBytes)} are free on the disk. Free some space.`;
  throw new Refusal("no-space", sentence);
}

async function copyChunks(source: PathLike, target: string, signal: AbortSignal): Promise<void> {
  const from = await open(source, constants.O_RDONLY);
  try {
    const to = await open(target, "wx");
    try {
      await pour(from, to, signal);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function pour(from: FileHandle, to: FileHandle, signal: AbortSignal): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) return;
    let written = 0;
    while (written < bytesRead)
      written += (await to.write(buffer, written, bytesRead - written)).bytesWritten;
  }
}
