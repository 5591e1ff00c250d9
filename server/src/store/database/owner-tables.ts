/** Tables of owners' requests and texts: definitions of runs, and notes about runs. */

export interface RunNotesTable {
  run_seq: number;
  note: string;
}

export interface RunTagsTable {
  run_seq: number;
  tag: string;
}

/**
 * Large texts of a run. Kept apart from the row, because lists read the row and every change of a status or
 * counter rewrites it.
 */
export interface RunDefinitionsTable {
  run_seq: number;
  /** See `workflow/run/listed-parameters.ts`. */
  listed_parameters: string;
  specification: string;
  input_parameters: string;
  operational_options: string;
  /** The request of a restart. Null for other runs. */
  restart: string | null;
  /** JSON: the server's default retry policy when the run was started. Null if it had none, or the run never started. */
  retries: string | null;
  /** Maximum number of jobs and asks that are outstanding together. Null if the run never started. */
  most_outstanding: number | null;
  /** 1 if the run may take over jobs of other runs of its user, else 0. Null if the run never started. */
  reuse_across_runs: number | null;
  /** JSON: what the engine made of the documents of the workflow. Null if the language has none. */
  model: string | null;
}
