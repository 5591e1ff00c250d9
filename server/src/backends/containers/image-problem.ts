/** The reason why a job cannot have its image. Waiting does not help. */
export class ImageProblem extends Error {
  override readonly name = "ImageProblem";
}

/**
 * The reason why a runtime could not say whether it has an image, as a sentence. The runtime may work again
 * later.
 */
export class RuntimeFailure extends Error {
  override readonly name = "RuntimeFailure";
}
