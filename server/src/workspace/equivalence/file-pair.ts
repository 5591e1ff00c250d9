import type { Rule } from "#plumbing/equivalence/equivalence";

/** A file of the same name in two workspaces, as recorded. Plain data, because it travels between threads. */
export interface FilePair {
  /** Relative to both workspaces. */
  readonly path: string;
  readonly a: RecordedFile;
  readonly b: RecordedFile;
}

export interface RecordedFile {
  readonly bytes: number;
  /** Null if no checksum was recorded: then the stamp tells whether the file is still the recorded one. */
  readonly sha256: string | null;
  readonly stamp: string | null;
}

export interface PairsRequest {
  /** Absolute paths of the two folders. */
  readonly a: string;
  readonly b: string;
  readonly pairs: readonly FilePair[];
  readonly tolerance: number;
}

/** Whether two files have the same content. `replaced`: a file is gone or is not the recorded one any more. */
export type PairVerdict =
  | { readonly kind: "identical" }
  | { readonly kind: "equivalent"; readonly rule: Rule; readonly difference: number }
  | { readonly kind: "different"; readonly isTooLarge: boolean }
  | { readonly kind: "replaced"; readonly side: "a" | "b" };
