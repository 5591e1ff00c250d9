import { closeSync, constants, open as openFile, readlinkSync } from "node:fs";
import { promisify } from "node:util";
import { codeOf } from "#plumbing/errors";

/** A path for the system. Names that are not UTF-8 stay bytes. */
export type SystemPath = string | Buffer;

/** A folder, held open. */
export interface Folder {
  /** Returns the system path of an entry of the folder. */
  at(name: SystemPath): SystemPath;
  /** System path of the folder itself. */
  readonly itself: string;
  close(): Promise<void>;
}

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
export const HAS_PROC = process.platform === "linux";

const open = promisify(openFile);

/** Opens a folder and holds it open. Fails on a symbolic link. */
export async function hold(folder: SystemPath): Promise<Folder> {
  const descriptor = await open(folder, OPEN_FOLDER);
  const itself = HAS_PROC ? inProc(descriptor) : folder.toString();
  let isOpen = true;
  return {
    itself,
    at: (name) => joined(itself, name),
    async close() {
      if (!isOpen) return;
      isOpen = false;
      // To close a folder waits for no disk: a thread would cost ten times as much.
      closeSync(descriptor);
    },
  };
}

/** Closes the folder when the work has ended or failed. */
export async function closing<Result>(
  folder: Pick<Folder, "close">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    await folder.close();
  }
}

/**
 * Opens a nested folder by one call that follows links, and then checks the real path of the opened folder
 * with the kernel. Returns undefined if the path led through a link or cannot be opened; a walk finds the
 * reason.
 */
export async function maybeHoldBelow(
  folder: Folder,
  components: readonly string[],
): Promise<Folder | undefined> {
  if (!HAS_PROC) return undefined;
  const below = components.join("/");
  const found = await maybeHold(folder.at(below));
  if (!found) return undefined;
  const top = realPathOf(folder);
  const expected = Buffer.concat([top, Buffer.from(top.length === 1 ? below : `/${below}`)]);
  if (realPathOf(found).equals(expected)) return found;
  await found.close();
  return undefined;
}

async function maybeHold(folder: SystemPath): Promise<Folder | undefined> {
  try {
    return await hold(folder);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Asks the kernel, and no disk. */
function realPathOf({ itself }: Folder): Buffer {
  return readlinkSync(itself, { encoding: "buffer" });
}

function inProc(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

function joined(folder: string, name: SystemPath): SystemPath {
  return typeof name === "string" ? `${folder}/${name}` : Buffer.concat([Buffer.from(`${folder}/`), name]);
}
