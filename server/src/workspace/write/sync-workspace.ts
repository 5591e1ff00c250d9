import { constants, open } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "#plumbing/files/sync-folder";
import type { SystemPath } from "#workspace/safe-path";
import { type Gap, walk } from "#workspace/find/walk";

/** Returns when the workspace, its contents, and its entry in the parent folder are on the disk. */
export async function syncWorkspace(folder: string): Promise<void> {
  await syncTree(folder);
  await syncFolder(path.dirname(folder));
}

async function syncTree(top: string): Promise<void> {
  for await (const batch of walk(top, { onGap: refuse })) {
    await Promise.all(batch.filter(({ kind }) => kind !== "link").map(({ at }) => syncOne(at)));
  }
  await syncFolder(top);
}

async function syncOne(at: SystemPath): Promise<void> {
  const handle = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function refuse({ name, why }: Gap): never {
  throw new Error(`${name} could not be synced to the disk: it is ${why.replace("-", " ")}.`);
}
