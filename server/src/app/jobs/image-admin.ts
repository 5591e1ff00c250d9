import { existsSync } from "node:fs";
import { openRunningDatabase } from "#app/database";
import {
  builtHere,
  fullImageName,
  isAllowedImage,
  localNames,
  parseImageName,
} from "#backends/containers/images/image-name";
import { inspect, loadFrom, removeImage, storedImages, tag } from "#backends/containers/images/image-store";
import { ImageProblem } from "#backends/containers/image-problem";
import { type LocalImage, wrongMachine } from "#backends/containers/images/local-image";
import { findRuntime, type Runtime } from "#backends/containers/runtime";
import type { ImageAdmin, KnownImage } from "#cli/server/images/image-admin";
import type { Config } from "#config/settings";
import { dataFolderPaths } from "#plumbing/files/data-folder";
import { type ImageUse, imageUse } from "#store/jobs/image-use";

/** Opens the image store of the runtime in which a server with these settings runs jobs. */
export async function openImages(config: Config): Promise<ImageAdmin> {
  const runtime = await runtimeOf(config);
  const use = await readUse(config);
  const known = (image: LocalImage) => knownImage(image, config, use);
  return {
    runtime: `${runtime.name} ${runtime.version}`,
    list: async () => (await storedImages(runtime)).map(known),
    async load(source, name) {
      const full = name === undefined ? undefined : checkedName(name);
      const images = await loadFrom(runtime, source);
      if (full === undefined) return images.map(known);
      const [image] = images;
      if (images.length > 1)
        throw new ImageProblem(
          `${source} holds ${images.length} images, which are loaded under their own names: --as names one alone.`,
        );
      await tag(runtime, image!, full);
      return (await inspect(runtime, [image!.id])).map(known);
    },
    remove: (image) => removeImage(runtime, image),
    async maybeNamed(text) {
      const name = parseImageName(text);
      const wanted: readonly string[] = name ? localNames(name) : [];
      const [found] = await inspect(runtime, [...wanted, text]);
      const named = found?.names.find((one) => wanted.includes(one));
      return found && known(named === undefined ? found : { ...found, names: [named] });
    },
  };
}

async function runtimeOf({ containers: choice }: Config): Promise<Runtime> {
  if (choice === "none") throw new ImageProblem("This server runs no containers (--containers none).");
  const found = await findRuntime(choice);
  if ("problem" in found) throw new ImageProblem(found.problem);
  return found;
}

const NO_USE: ImageUse = { lastUsedAtMs: new Map(), wanted: [] };

/** Before the first start of a server, the database is missing, and all images are unused. */
async function readUse(config: Config): Promise<ImageUse> {
  const data = dataFolderPaths(config.dataFolder);
  if (config.database === undefined && !existsSync(data.database)) return NO_USE;
  const db = await openRunningDatabase(config, data);
  try {
    return await imageUse(db);
  } finally {
    await db.destroy();
  }
}

function checkedName(text: string): string {
  const name = parseImageName(text);
  if (name?.tag === undefined) throw new ImageProblem(`"${text}" cannot be the name of an image.`);
  return name.isShort ? builtHere(name) : fullImageName(name);
}

function knownImage(image: LocalImage, { allowedImages }: Config, use: ImageUse): KnownImage {
  const { id, names, digest, bytes } = image;
  const wanted = new Set(use.wanted.flatMap((text) => namesOf(text)));
  const problem = wrongMachine(image) ?? notAllowed(names, allowedImages);
  return {
    id,
    names,
    digest,
    bytes,
    lastUsedAtMs: use.lastUsedAtMs.get(digest) ?? null,
    isWanted: names.some((name) => wanted.has(name)),
    ...(problem !== undefined && { problem }),
  };
}

function namesOf(text: string): readonly string[] {
  const name = parseImageName(text);
  return name ? localNames(name) : [];
}

function notAllowed(names: readonly string[], allowed: readonly string[] | undefined): string | undefined {
  const isAllowed = (text: string) => isAllowedImage(parseImageName(text)!, allowed!);
  if (!allowed || names.some(isAllowed)) return undefined;
  return "its name is not among those that --allow-images allows.";
}
