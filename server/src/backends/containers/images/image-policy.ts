import { wantedImage } from "#backends/containers/images/wanted-image";
import { ImageProblem } from "#backends/containers/image-problem";
import type { BackendCapabilities } from "#workflow/capabilities";
import { UNKNOWN_DIGEST } from "#workflow/job/image-digest";

/** Settings of the server for the images of jobs. */
export interface ImagePolicy {
  readonly defaultImage?: string | undefined;
  readonly allowedImages?: readonly string[] | undefined;
}

/** Returns the answers of a backend about images on the nodes of a cluster. */
export function imagePolicy({
  defaultImage,
  allowedImages,
}: ImagePolicy): Pick<BackendCapabilities, "imageProblem" | "allowedImages" | "imageDigest"> {
  return {
    allowedImages,
    imageProblem(image) {
      try {
        wantedImage(image, allowedImages);
        return undefined;
      } catch (error) {
        if (error instanceof ImageProblem) return error.message;
        throw error;
      }
    },
    imageDigest: async (image) => ((image ?? defaultImage) === undefined ? null : UNKNOWN_DIGEST),
  };
}
