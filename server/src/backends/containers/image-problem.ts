/** Why a job cannot have its image. It will not get it by waiting. */
export class ImageProblem extends Error {
  override readonly name = "ImageProblem";
}

/** Why a runtime could not say whether it has an image, as a sentence. It may work again later. */
export class RuntimeFailure extends Error {
  override readonly name = "RuntimeFailure";
}
