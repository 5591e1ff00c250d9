/** The images of the container runtime of this machine. `main.ts` passes the implementation. */
export interface ImageAdmin {
  /** `podman 4.3.1` */
  readonly runtime: string;
  /**
   * Loads the images of an archive or of a folder in the OCI layout, and returns them. `name` is allowed for
   * a single image only, and becomes the name of the image.
   */
  load(source: string, name: string | undefined): Promise<readonly KnownImage[]>;
  list(): Promise<readonly KnownImage[]>;
  /** Removes these names of an image, and the image with its last name. Throws if the runtime refuses. */
  remove(image: KnownImage): Promise<void>;
  /** Returns the image that a step means by the text, or the image with exactly this name or id. */
  maybeNamed(text: string): Promise<KnownImage | undefined>;
}

export interface KnownImage {
  readonly id: string;
  /** Complete names: `docker.io/library/python:3.12`. */
  readonly names: readonly string[];
  /** Written like the `image_digest` of a job. */
  readonly digest: string;
  readonly bytes: number;
  /** The end of the last job of this server in the image. Null if no job is known. */
  readonly lastUsedAtMs: number | null;
  /** True if a job that has not ended needs the image. */
  readonly isWanted: boolean;
  /** The reason why jobs cannot run in the image. */
  readonly problem?: string;
}
