import type { Algorithm } from "#workflow/job/job";

/** Entries ordered by path. Paths are relative to the workspace. */
export interface Listing {
  readonly entries: readonly ListedEntry[];
  /** True if more entries follow. */
  readonly isCut: boolean;
  /** Set if a folder could not be read. */
  readonly hasGap?: true;
}

export interface ListedEntry {
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly bytes: number;
  /** For links: the final target in the workspace; null if the target lies outside. */
  readonly target?: string | null;
}

/** The kind of a path. `absent` also means a path behind a link, and anything but a file, folder or link. */
export type Look = ListedEntry | { readonly path: string; readonly kind: "absent" };

export interface Checksum {
  readonly path: string;
  readonly bytes: number;
  readonly algorithm: Algorithm;
  /** Hex. */
  readonly digest: string;
}
