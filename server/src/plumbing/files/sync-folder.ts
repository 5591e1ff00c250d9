import { open } from "node:fs/promises";

/** Syncs a folder. Without a sync, a power cut may undo creations, renames and removals in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
