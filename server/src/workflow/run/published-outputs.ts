/** An output that a run has published. */
export interface PublishedFile {
  /** Path in the workspace. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The body of the event that records published outputs. */
export interface PublishedOutputs {
  /** The folder of the run: `s3://bucket/prefix/ID/`. The key of a file is its path in this folder. */
  readonly folder: string;
  /** Address of the manifest, which was written last. */
  readonly manifest: string;
  readonly files: readonly PublishedFile[];
}

/** The body of the event that records outputs which were not all published. */
export interface UnpublishedOutputs {
  readonly folder: string;
  readonly published: readonly PublishedFile[];
  readonly missing: readonly string[];
  readonly reason: string;
}
