/** A notebook server on the files of a run: REANA's interactive session. */

/** The types of notebooks, in REANA's words. */
export const NOTEBOOK_TYPES = ["jupyter"] as const;

/** created: recorded. running: the job runs. closing: the job is being ended. */
export const NOTEBOOK_STATUSES = ["created", "running", "closing"] as const;

export type NotebookStatus = (typeof NOTEBOOK_STATUSES)[number];
