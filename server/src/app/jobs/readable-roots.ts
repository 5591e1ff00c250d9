import { realpathSync, statSync } from "node:fs";
import type { Config } from "#config/settings";
import type { ReadableRoot } from "#workspace/find/readable-place";

/**
 * Returns the folders outside the workspaces that runs may read: each `--mount` that jobs see at its own
 * path. Links on the way to such a folder are the administrator's, and are resolved once, here.
 */
export function readableRoots({ mounts }: Pick<Config, "mounts">): ReadableRoot[] {
  return mounts.flatMap(({ path, at }) => {
    if (at !== path) return [];
    try {
      return statSync(path).isDirectory() ? [{ at, folder: realpathSync(path) }] : [];
    } catch {
      // The folder may be mounted later.
      return [{ at, folder: path }];
    }
  });
}
