/** State of a workspace after a job: a stamp for each path, null for a path that is gone. */
export interface FileStamps {
  /** True if all paths are included. Otherwise only the changes since the previous look are. */
  readonly isWhole: boolean;
  readonly files: Readonly<Record<string, string | null>>;
}

/** Stamp of a file that cannot be identified with certainty. Never equal to any stamp, not even itself. */
export const UNSURE_STAMP = "?";

/** Stands for the stamp of an intermediate file that a finished run has removed. Never equal to any stamp. */
export const REMOVED_STAMP = "removed";

export function isSameStamp(one: string | null | undefined, other: string | null | undefined): boolean {
  return one === other && one !== UNSURE_STAMP;
}

/** Stamp of a folder. Only the existence of the folder counts. */
export const FOLDER_STAMP = "folder";

/** A declared input, with a checksum, unless the file is too large to be read each time. */
export interface InputStamp {
  readonly path: string;
  /** Equal as long as the file has certainly not been touched. */
  readonly stamp: string;
  /** Null for a large file. */
  readonly sha256: string | null;
}
