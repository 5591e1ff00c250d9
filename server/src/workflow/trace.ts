/** What was seen in a workspace when a job had ended: by path a stamp of what lies there, null for what is gone. */
export interface Trace {
  /** Everything; else only what has changed since the trace before it. */
  readonly isWhole: boolean;
  readonly files: Readonly<Record<string, string | null>>;
}

/** The stamp of what cannot be told apart from something else: it equals nothing, not even itself. */
export const UNSURE_STAMP = "?";

export function isSameStamp(one: string | null | undefined, other: string | null | undefined): boolean {
  return one === other && one !== UNSURE_STAMP;
}

/** Of a folder nothing matters but that it is there. */
export const FOLDER_STAMP = "folder";
