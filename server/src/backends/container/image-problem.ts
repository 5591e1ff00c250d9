/** Why a job cannot have its image. It will not get it by waiting. */
export class ImageProblem extends Error {
  override readonly name = "ImageProblem";
}
