import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { findImages } from "#app/packing/find-images";
import { maybeProgramFiles } from "#app/packing/program-files";
import type { Config } from "#config/settings";
import type { PackSources } from "#operations/reports/pack/pack-sources";

/** Root folder of the installed package. */
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Returns what a server with these settings can put into packs. */
export function packSources(config: Pick<Config, "containers">): PackSources {
  return {
    starter: () => readFile(new URL("./run.sh", import.meta.url), "utf8"),
    maybeProgram: () => maybeProgramFiles(ROOT),
    images: (used) => findImages(config, used),
  };
}
