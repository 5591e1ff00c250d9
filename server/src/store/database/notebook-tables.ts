import type { NotebookStatus } from "#workflow/notebook";

/** Open notebooks. */
export interface NotebooksTable {
  run_id: string;
  /** Id of its job, which is not in the table of jobs: a notebook is no part of what a run computes. */
  id: string;
  host_id: string;
  /** The backend's token of the moment when it was opened. */
  host_token: string;
  image: string | null;
  /** The secret that opens it, encrypted with the server's key, because its owner may ask for it again. */
  sealed: string;
  status: NotebookStatus;
  opened_at: number;
  used_at: number;
  /** Sentence that says why it ends. Null if its user closes it. */
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
  /** Sentence that says why it ended. Null if its user closed it. */
  closed_for: string | null;
}
