import { isAllowedImage, parseImageName } from "#backends/containers/images/image-name";
import { printable } from "#plumbing/text/printable";

/** Returns whether a policy may name images by this text. */
export function isImagePattern(text: string): boolean {
  return text !== "" && !/\s/.test(text);
}

/**
 * Returns why the policy of a user does not allow an image, in the words of the server's own list. Null patterns allow
 * every image that the server allows.
 */
export function maybePolicyProblem(
  image: string | null,
  patterns: readonly string[] | null | undefined,
): string | undefined {
  if (image === null || !patterns) return undefined;
  const name = parseImageName(image);
  // A name that cannot be read is refused by the server itself.
  if (!name || isAllowedImage(name, patterns)) return undefined;
  return (
    `Image not allowed: ${printable(image, 200)}. The policy of this server for you allows: ` +
    `${printable(patterns.join(", "), 500) || "none"}.`
  );
}
