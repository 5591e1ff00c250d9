import { open } from "node:fs/promises";

/** What was made, renamed or removed in a folder stays so after a power cut only when the folder was synced as well. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
