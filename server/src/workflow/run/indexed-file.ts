/**
 * What a file is to its run. `input` and `output` are declared by the specification, `read` and `written` are known of one
 * job.
 */
export const FILE_ROLES = ["output", "written", "input", "read"] as const;
export type FileRole = (typeof FILE_ROLES)[number];

/** A file of an ended run, as the index of origins keeps it for as long as the row of the run exists. */
export interface IndexedFile {
  /** Relative to the workspace, or absolute for a file outside. */
  readonly path: string;
  /** Null if unknown. */
  readonly bytes: number | null;
  /** Null if the content was not read, or is no longer the content that the run had. */
  readonly sha256: string | null;
  /** Null if unknown. */
  readonly stamp: string | null;
  readonly role: FileRole;
  /** The job that read or wrote the file. Null for declared files. */
  readonly jobId: string | null;
  /** Path of a file inside the zip or gzip at `path`. Absent for the file at `path` itself. */
  readonly inside?: string;
  /** The sketch of the content (`plumbing/files/content-sketch.ts`). Absent if the content was not read. */
  readonly sketch?: readonly string[];
  /** A sentence that says why another job may have written the file. Null if the job surely wrote the file. */
  readonly doubt: string | null;
}
