import type { FileRole } from "#workflow/run/indexed-file";
import type { ShadowKind } from "#workflow/run/shadow";

/** The tables that outlive the files of a run. */
export interface ResultTables {
  run_outputs: RunOutputsTable;
  run_results: RunResultsTable;
  run_files: RunFilesTable;
  run_file_chunks: RunFileChunksTable;
  shadows: ShadowsTable;
  publications: PublicationsTable;
}

/** Runs that are published on another server. */
interface PublicationsTable {
  run_id: string;
  /** JSON: `PublicationRequest`. */
  request: string;
  /** JSON: `PublicationProgress`. */
  progress: string;
  /** 1 if the draft is to be published, else 0. */
  submits: number;
  /** Host that takes the steps. */
  held_by: string | null;
  /** Failures in a row. */
  failures: number;
  created_at: number;
  /** Time of the next attempt, or the end of the claim of `held_by`. Null if nothing is left to do. */
  due_at: number | null;
  problem: string | null;
}

/** Runs that are also sent to another server. */
interface ShadowsTable {
  run_id: string;
  owner_id: string;
  /** Id of the run there. Null until it was created and started. */
  remote_id: string | null;
  /** Failures in a row. */
  failures: number;
  created_at: number;
  /** Time of the next step. Null once the comparison has a result. */
  due_at: number | null;
  problem: string | null;
  /** The result. Null before the end. */
  kind: ShadowKind | null;
  cause: string | null;
  /** JSON: both sides and the outputs of `ShadowResult`. */
  result: string | null;
}

interface RunOutputsTable {
  run_id: string;
  outputs: string;
}

/** A row for each run with declared outputs, and for each later run in its workspace. */
interface RunResultsTable {
  run_id: string;
  /** JSON: `Results`. */
  body: string;
}

/** The index of origins: the files of ended runs by their content. The rows outlive the files. */
interface RunFilesTable {
  run_seq: number;
  position: number;
  owner_id: string;
  path: string;
  /** The last part of the path. */
  name: string;
  bytes: number | null;
  sha256: string | null;
  stamp: string | null;
  role: FileRole;
  job_id: string | null;
  doubt: string | null;
  /** Path of a file inside the archive at `path`. Null for the file at `path` itself. */
  inside: string | null;
  /** Digests of chunks, separated by commas. Null if the content was not read. */
  sketch: string | null;
}

/** The digests of the sketches in `run_files`, to find files with parts of a content. */
interface RunFileChunksTable {
  owner_id: string;
  chunk: string;
  run_seq: number;
  position: number;
}
