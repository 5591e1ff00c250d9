import { mkdir } from "node:fs/promises";
import path from "node:path";
import { crashPoint } from "#plumbing/crash-points";
import type { Random } from "#plumbing/ids";
import { syncFolder } from "#plumbing/files/sync-folder";
import { moveFolder, removeTree } from "#workspace/remove/remove-tree";
import { stagingFolderOf } from "#workspace/staging/stage-files";
import { maybeLstat } from "#workspace/safe-path";

interface RemoveOptions {
  /** The folder that contains the folders of all workspaces. */
  readonly folder: string;
  readonly fsync: boolean;
  readonly random: Random;
}

/**
 * Moves the workspace out of sight first, because readers must not see it half deleted. A name with a leading
 * dot is never a workspace.
 */
export async function removeWorkspace(
  { folder, fsync, random }: RemoveOptions,
  workspaceId: string,
): Promise<void> {
  const removed = path.join(folder, `.removed-${workspaceId}`);
  await moveInto(path.join(folder, workspaceId), removed, random.uuid());
  crashPoint("workspace-hidden");
  await removeTree(removed, random);
  await removeTree(stagingFolderOf(folder, workspaceId), random);
  // Sync before the deletion is recorded: a power cut could otherwise bring the workspace back.
  if (fsync) await syncFolder(folder);
}

/**
 * Moves the folder into `target`. Tries again if another removal of the workspace deletes the target in
 * between.
 */
async function moveInto(from: string, target: string, name: string): Promise<void> {
  while (await maybeLstat(from)) {
    await mkdir(target, { recursive: true, mode: 0o700 });
    if (await moveFolder(from, path.join(target, name))) return;
  }
}
