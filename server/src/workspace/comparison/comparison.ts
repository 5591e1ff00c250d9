/** The differences between two workspaces; `a` is the first. Plain data, because it travels between threads. */
export interface WorkspaceComparison {
  /** Numbers of files and links; folders are not counted. */
  readonly counts: Readonly<Record<FileChange | "same", number>>;
  /** Sorted folder by folder, by name; a folder present on one side only comes before its contents. */
  readonly differences: readonly FileDifference[];
  /** True if the list of differences is cut; the counts include all differences. */
  readonly isCut: boolean;
}

/** `unreadable`: permissions prevented a comparison. */
export const FILE_CHANGES = ["added", "removed", "changed", "unreadable"] as const;
export type FileChange = (typeof FILE_CHANGES)[number];

export interface FileDifference {
  /** Path relative to both workspaces, with `/`. A name that is not UTF-8 has replacement characters. */
  readonly name: string;
  readonly change: FileChange;
  readonly a: FileSide | null;
  readonly b: FileSide | null;
  /** The differing lines of a small text, hunk by hunk; null for any other file, and once the limit is reached. */
  readonly diff: string | null;
}

export interface FileSide {
  readonly kind: "file" | "link" | "folder";
  /** 0 for a folder. */
  readonly bytes: number;
}

export interface ComparisonRequest {
  /** Absolute paths of the server's folders; a missing folder counts as empty. */
  readonly a: string;
  readonly b: string;
  /** Lines of context around each change; `none`: no text differences at all. */
  readonly contextLines: number | "none";
}

/** The reply of the comparison thread. */
export type ComparisonReply = WorkspaceComparison | { readonly refused: string };
