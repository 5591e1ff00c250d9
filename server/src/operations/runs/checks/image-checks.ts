import type { NamedImage } from "#engines/documents";
import type { Problem } from "#engines/problem";
import { type BackendCapabilities, digestsIn } from "#workflow/capabilities";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";

/** Finds the images of a workflow's documents in which the server's first backend could run no job. */
export async function findImageProblems(
  backends: readonly BackendCapabilities[],
  images: readonly NamedImage[] = [],
): Promise<Problem[]> {
  const asked = await Promise.all(images.map((image) => maybeProblem(backends, image)));
  return asked.filter((message) => message !== undefined).map((message) => ({ path: "workflow", message }));
}

async function maybeProblem(
  backends: readonly BackendCapabilities[],
  { who, image, isRequired, madeBy }: NamedImage,
): Promise<string | undefined> {
  const [backend] = backends;
  if (image === null) return isRequired ? maybeUnnamed(backend, who) : undefined;
  const refused = backend?.imageProblem?.(image);
  if (refused !== undefined) return `${who}: ${refused}`;
  const absent = isRequired ? await backend?.requiredImageProblem?.(image) : undefined;
  if (absent !== undefined)
    return `${who} requires a container of the image ${image} (DockerRequirement). ${absent}`;
  if (madeBy === undefined || (await digestsIn(backends)({ image })) !== UNKNOWN_DIGEST) return undefined;
  return (
    `${who}: its image ${image} is not on this machine, and a server makes none: \`${madeBy}\` works in ` +
    "`reprise cwl-runner --podman` only. Make the image there and load it on the server: reprise image load."
  );
}

/** Returns a refusal if a step names no image and the server has no default image to use instead. */
async function maybeUnnamed(
  backend: BackendCapabilities | undefined,
  who: string,
): Promise<string | undefined> {
  const hasDefault = !backend?.imageDigest || (await backend.imageDigest(null)) !== null;
  return hasDefault ? undefined : withoutImage(who);
}

/** Returns the sentence about a step that requires a container and names no image. */
export function withoutImage(who: string): string {
  return `${who}: DockerRequirement names no image. Give \`dockerPull\`, or the \`dockerImageId\` of an image that is on the machine.`;
}
