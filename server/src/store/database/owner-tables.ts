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
  /** JSON: the settings of the server that the run keeps (`kept-settings.ts`). Null if the run never started. */
  kept_settings: string | null;
  /** JSON: what the engine made of the documents of the workflow. Null if the language has none. */
  model: string | null;
}
