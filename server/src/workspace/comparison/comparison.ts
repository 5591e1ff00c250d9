/** What two workspaces have in common and what not; `a` is the first one. It travels between threads: plain data. */
export interface WorkspaceComparison {
  /** Files and links; folders are not counted. */
  readonly counts: Readonly<Record<FileChange | "same", number>>;
  /** Folder by folder, by name; a folder that only one of them has comes before what lies in it. */
  readonly differences: readonly FileDifference[];
  /** There are more than these; the counts hold all. */
  readonly isCut: boolean;
}

/** `unreadable`: permissions keep us from looking. */
export const FILE_CHANGES = ["added", "removed", "changed", "unreadable"] as const;
export type FileChange = (typeof FILE_CHANGES)[number];

export interface FileDifference {
  /** Relative to both workspaces, with `/`. A name that is not UTF-8 has replacement characters. */
  readonly name: string;
  readonly change: FileChange;
  readonly a: FileSide | null;
  readonly b: FileSide | null;
  /** How the lines of a small text differ, hunk by hunk; null for anything else, and when enough is told. */
  readonly diff: string | null;
}

export interface FileSide {
  readonly kind: "file" | "link" | "folder";
  /** 0 of a folder. */
  readonly bytes: number;
}

export interface ComparisonRequest {
  /** Absolute folders of ours; one that is not there counts as empty. */
  readonly a: string;
  readonly b: string;
  /** Around each change; `none`: no differences of texts at all. */
  readonly contextLines: number | "none";
}

/** What the thread answers. */
export type ComparisonReply = WorkspaceComparison | { readonly refused: string };
