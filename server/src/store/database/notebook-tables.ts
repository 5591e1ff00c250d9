import type { NotebookStatus } from "#workflow/notebook";

/** Open notebooks. */
export interface NotebooksTable {
  run_id: string;
  /**
   * Id of the notebook's job. The job is not in the table of jobs, because a notebook is not a part of a
   * run's computation.
   */
  id: string;
  host_id: string;
  /** The backend's token of the moment when it was opened. */
  host_token: string;
  image: string | null;
  /**
   * The notebook's secret, encrypted with the server's key because the owner may ask for the secret again.
   */
  sealed: string;
  status: NotebookStatus;
  opened_at: number;
  used_at: number;
  /** Reason for closing, as a sentence. Null if the user closes the notebook. */
  closed_for: string | null;
}

/** A row for each notebook that has ended, from which totals of processor time can be recounted. */
export interface EndedNotebooksTable {
  id: string;
  run_id: string;
  user_id: string;
  ended_at: number;
  /** Processor time, as far as the backend could measure it. */
  cpu_ms: number;
  /** Reason for closing, as a sentence. Null if the user closed the notebook. */
  closed_for: string | null;
}
