import { statSync } from "node:fs";
import type { HostMount } from "#backends/walls/bubblewrap";
import type { ImageSettings, StandIn } from "#backends/local/images/image-map";
import { SettingError } from "#config/read";
import type { Config } from "#config/settings";

/** Returns what stands in for images. Throws a SettingError if a folder or a program of the map does not exist. */
export function imagesOf({ images, imageMap, containers }: Config): ImageSettings {
  return {
    mode: images,
    standIns: imageMap.map(standInOf),
    ...(containers === "none" && { runsWithout: true }),
  };
}

function standInOf({ pattern, words }: Config["imageMap"][number]): StandIn {
  const [place = ""] = words;
  const stat = statSync(place, { throwIfNoEntry: false });
  if (stat?.isDirectory() && words.length === 1) return { pattern, by: { folder: place } };
  if (stat?.isFile()) return { pattern, by: { command: words } };
  throw new SettingError([
    `--image-map ${pattern}=${words.join(" ")}: there is no folder or program ${place}.`,
  ]);
}

/** Returns the mounts that show jobs the environments of the map. Everything below /usr is visible anyway. */
export function environmentMounts(config: Config): HostMount[] {
  const folders = imagesOf(config).standIns.flatMap(({ by }) => ("folder" in by ? [by.folder] : []));
  return [...new Set(folders)]
    .filter((folder) => !folder.startsWith("/usr/"))
    .map((folder) => ({ path: folder, at: folder, mode: "read" }));
}
