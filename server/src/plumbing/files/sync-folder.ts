import { open } from "node:fs/promises";

/** Syncs a folder. Without it, a power cut may undo what was created, renamed or removed there. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
