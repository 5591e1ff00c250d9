/** The files of a pack from outside of the workspace. They are packed next to the crate of the run. */
export interface PackSources {
  /** Returns the script that runs a pack. */
  starter(): Promise<string>;
  /** Returns the files of the program and its dependencies. Undefined if the program runs from sources. */
  maybeProgram(): Promise<readonly SupplyFile[] | undefined>;
  /** Finds the images that jobs ran in. Throws a sentence about the first image that cannot be packed. */
  images(used: readonly UsedImage[]): Promise<PackedImages>;
}

/** A file of this machine for a pack. */
export interface SupplyFile {
  /** Path in the folder of the program, with `/`. */
  readonly name: string;
  /** Opens the file when its first bytes are wanted. */
  content(): AsyncIterable<Buffer>;
  readonly bytes: number;
  readonly mode: number;
}

/** An image as the record of a job names it. */
export interface UsedImage {
  readonly image: string;
  readonly digest: string;
}

export interface PackedImages {
  readonly images: readonly { readonly id: string; readonly name: string }[];
  /** Upper bound for the archive. */
  readonly bytes: number;
  /** Yields an archive of all images, which holds each layer once. */
  save(): AsyncIterable<Buffer>;
}

/** Thrown by a source with the reason why a run cannot be packed, without the name of the run. */
export class PackProblem extends Error {}
