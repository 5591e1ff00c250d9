import { fullImageName, localNames, parseImageName } from "#backends/containers/images/image-name";
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
  const sizes = new Map(images.map(({ id, bytes }) => [id, bytes]));
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return {
    images,
    bytes: Math.ceil(bytes * ARCHIVE_FACTOR) + ARCHIVE_BYTES,
    save: () =>
      saveImages(
        runtime,
        images.map(({ name }) => name),
      ),
  };
}

async function findImage(runtime: Runtime, { image, digest }: UsedImage) {
  const shown = `the image ${printable(image, 200)}`;
  const parsed = parseImageName(image);
  if (!parsed) throw new PackProblem(`${shown} has a name that no runtime knows`);
  if (parsed.digest !== undefined)
    throw new PackProblem(
      `${shown} is named by its digest, which no archive of images keeps. Name it with a tag and run the workflow again`,
    );
  const wanted = localNames(parsed);
  for (const name of wanted) {
    const [found] = await inspect(runtime, [name]);
    if (found && hasDigest(found, digest)) return { id: found.id, name, bytes: found.bytes };
    if (found)
      throw new PackProblem(
        `${shown} is another one on this machine (${found.digest}) than the one that its steps ran in (${digest}). Give the name back to that image and try again`,
      );
  }
  throw new PackProblem(
    `${shown} is not on this machine. Pull it and try again: ${runtime.name} pull ${fullImageName(parsed)}`,
  );
}

/** A job's record has the digest of the manifest, or the id of an image without one. */
function hasDigest({ digest, digestNames, id }: LocalImage, wanted: string): boolean {
  return [digest, `sha256:${id}`, ...digestNames.map((name) => name.replace(/^.*@/, ""))].includes(wanted);
}
