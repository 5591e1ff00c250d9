import { ImageProblem } from "#backends/containers/image-problem";
import { type ImageName, isAllowedImage, parseImageName } from "#backends/containers/images/image-name";
import { printable } from "#plumbing/text/printable";

/** Returns the image that a job names. Throws an `ImageProblem` if no image has such a name, or if the server allows others only. */
export function wantedImage(image: string, allowed: readonly string[] | undefined): ImageName {
  const name = parseImageName(image);
  if (!name) throw new ImageProblem(`"${printable(image, 200)}" cannot be the name of an image.`);
  // REANA's sentence.
  if (allowed && !isAllowedImage(name, allowed))
    throw new ImageProblem(`Image not allowed: ${printable(image, 300)}`);
  return name;
}
