import {
  fullImageName,
  type ImageName,
  localNames,
  parseImageName,
  repositoryOf,
} from "#backends/containers/images/image-name";
import { inspect, saveImages } from "#backends/containers/images/image-store";
import type { LocalImage } from "#backends/containers/images/local-image";
import { findRuntime, type Runtime } from "#backends/containers/runtime";
import type { Config } from "#config/settings";
import { type PackedImages, PackProblem, type UsedImage } from "#operations/reports/pack/pack-sources";
import { printable } from "#plumbing/text/printable";

/** Room for the headers of an archive, and for the blocks that its files are rounded up to. */
const ARCHIVE_BYTES = 64 << 20;
const ARCHIVE_FACTOR = 1.1;

/** Finds the images of jobs in the runtime of this machine, each with the content that the jobs had. */
export async function findImages(
  { containers: choice }: Pick<Config, "containers">,
  used: readonly UsedImage[],
): Promise<PackedImages> {
  if (choice === "none") throw new PackProblem("its steps ran in images, and this server runs no containers");
  const runtime = await findRuntime(choice);
  if ("problem" in runtime)
    throw new PackProblem(`its steps ran in images. ${runtime.problem.replace(/\.$/, "")}`);
  const images: { id: string; name: string; bytes: number }[] = [];
  for (const one of used) images.push(await findImage(runtime, one));
  refuseTwins(images);
  const sizes = new Map(images.map(({ id, bytes }) => [id, bytes]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return {
    images,
    bytes: Math.ceil(bytes * ARCHIVE_FACTOR) + ARCHIVE_BYTES,
    save: () => saveImages(runtime, [...sizes.keys()]),
  };
}

async function findImage(runtime: Runtime, { image, digest }: UsedImage) {
  const shown = `the image ${printable(image, 200)}`;
  const parsed = parseImageName(image);
  if (!parsed) throw new PackProblem(`${shown} has a name that no runtime knows`);
  let other: LocalImage | undefined;
  for (const name of [...localNames(parsed), ...namesByDigest(parsed, digest)]) {
    const [found] = await inspect(runtime, [name]);
    if (found && hasDigest(found, digest))
      return { id: found.id, name: fullImageName(parsed), bytes: found.bytes };
    other ??= found;
  }
  if (other)
    throw new PackProblem(
      `${shown} is another one on this machine (${other.digest}) than the one that its steps ran in (${digest}), which is gone. Pull that image by its digest and try again`,
    );
  throw new PackProblem(
    `${shown} is not on this machine. Pull it and try again: ${runtime.name} pull ${fullImageName(parsed)}`,
  );
}

/** Returns the names that find an image after its tag has moved to another image. */
function namesByDigest(image: ImageName, digest: string): readonly string[] {
  const builtHere = `localhost/${image.repository.replace(/^library\//, "")}`;
  return [...new Set([builtHere, repositoryOf(image)])].map((name) => `${name}@${digest}`);
}

/** Refuses two images under one name: a tag has moved while the run was under way. */
function refuseTwins(images: readonly { readonly id: string; readonly name: string }[]): void {
  const ids = new Map<string, string>();
  for (const { id, name } of images) {
    if (ids.has(name) && ids.get(name) !== id)
      throw new PackProblem(
        `its steps ran in two images named ${printable(name, 200)}. Name them by digest and run the workflow again`,
      );
    ids.set(name, id);
  }
}

/** A job's record has the digest of the manifest, or the id of an image without one. */
function hasDigest({ digest, digestNames, id }: LocalImage, wanted: string): boolean {
  return [digest, `sha256:${id}`, ...digestNames.map((name) => name.replace(/^.*@/, ""))].includes(wanted);
}
