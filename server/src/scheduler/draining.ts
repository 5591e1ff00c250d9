/**
 * Before an upgrade a server begins nothing new. no: it works as ever. finishing: queued runs get no turn, those under way
 * go on to their ends. handed-over: it drives none; their jobs go on by themselves, and the next server takes them up.
 */
export const DRAINING = ["no", "finishing", "handed-over"] as const;

export type Draining = (typeof DRAINING)[number];
