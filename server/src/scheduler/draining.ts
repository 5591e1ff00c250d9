/**
 * The stages of draining a server before an upgrade.
 *
 * - no: the server works as usual;
 * - finishing: queued runs get no turn, and runs in progress continue to their ends;
 * - handed-over: the server drives no runs. Jobs keep running, and the next server resumes the runs.
 */
export const DRAINING = ["no", "finishing", "handed-over"] as const;

export type Draining = (typeof DRAINING)[number];
