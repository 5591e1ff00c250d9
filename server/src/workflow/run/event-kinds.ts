/** A user has started the run. */
export const START = "start";
/** The event with which the runner begins a run. The operation's `start` comes before it. */
export const BEGUN = "begun";
/** The run has ended by its engine or a failure, after its last jobs were ended. */
export const ENDED = "ended";
/** A user has stopped the run. */
export const STOPPED = "stopped";

/** Kinds of events that Reprise records for itself. All others are events of the engine. */
export const OWN_KINDS: ReadonlySet<string> = new Set([START, BEGUN, ENDED, STOPPED]);
