/** A notebook server beside a run, on the run's files: REANA's interactive session. */

/** The types of notebooks, in REANA's words. */
export const NOTEBOOK_TYPES = ["jupyter"] as const;

/** created: recorded. running: its job runs. closing: its job is being ended. */
export const NOTEBOOK_STATUSES = ["created", "running", "closing"] as const;

export type NotebookStatus = (typeof NOTEBOOK_STATUSES)[number];
