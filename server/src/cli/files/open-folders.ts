import path from "node:path";
import { type LinkOptions, openTarget, refuseOutside } from "#cli/files/leaving-links";
import type { Folder } from "#plumbing/files/open-folder";
import { inPlainWords } from "#plumbing/files/walk-inside";

/** A file of a workspace, by its path in the workspace. */
interface RemoteFile {
  readonly name: string;
  readonly bytes: number;
}

interface TargetFile extends RemoteFile {
  /** Path on this machine, through the open folder. */
  readonly file: string;
}

/** Each folder costs a file descriptor. */
const FOLDERS_AT_ONCE = 200;

/**
 * Opens the folders that files go into, some at a time, and calls `work` with the files of each group. The folders are
 * made if they are missing. Throws if a link leads to one outside the target folder.
 */
export async function inOpenFolders(
  { folder, links }: { readonly folder: string; readonly links: LinkOptions },
  files: readonly RemoteFile[],
  work: (files: readonly TargetFile[]) => Promise<void>,
): Promise<void> {
  for (const { name } of files) refuseOutside(name);
  const byFolder = Map.groupBy(files, ({ name }) => path.posix.dirname(name));
  const left = [...byFolder.values()];
  while (left.length > 0) {
    const held: Folder[] = [];
    try {
      const targets: TargetFile[] = [];
      for (const inside of left.splice(0, FOLDERS_AT_ONCE)) {
        const { parent } = await openTarget(folder, inside[0]!.name, links);
        held.push(parent);
        for (const file of inside) targets.push({ ...file, file: fileIn(parent, file.name) });
      }
      await work(targets);
    } catch (error) {
      throw await inWordsOf(held, error);
    } finally {
      for (const one of held) await one.close();
    }
  }
}

/** Returns the path of a file in an open folder. */
function fileIn(folder: Folder, name: string): string {
  return folder.at(path.posix.basename(name)).toString();
}

async function inWordsOf(held: readonly Folder[], error: unknown): Promise<unknown> {
  let inWords = error;
  for (const folder of held) inWords = await inPlainWords(inWords, folder);
  return inWords;
}
