import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach } from "vitest";

/** Makes an empty folder for each test of the calling group, and removes it afterwards. */
export function folderForEach(take: (folder: string) => void): void {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "reprise-test-"));
    take(folder);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
}
