/**
 * The stages of draining a server before an upgrade.
 *
 * - no: it works as usual;
 * - finishing: queued runs get no turn, and those under way continue to their ends;
 * - handed-over: it drives no runs. Their jobs keep running, and the next server resumes them.
 */
export const DRAINING = ["no", "finishing", "handed-over"] as const;

export type Draining = (typeof DRAINING)[number];
