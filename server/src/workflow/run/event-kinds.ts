/** A user has started the run. */
export const START = "start";
/** The event with which the runner begins a run. The operation's `start` comes first. */
export const BEGUN = "begun";
/** The run has ended by its engine or a failure, after the end of its last jobs. */
export const ENDED = "ended";
/** A user has stopped the run. */
export const STOPPED = "stopped";
/** The inputs that are addresses are in the workspace. Recorded before the run begins. */
export const INPUTS_FETCHED = "inputs-fetched";
/** All outputs are at the destination, with the manifest. */
export const OUTPUTS_PUBLISHED = "outputs-published";
/** Some outputs are not at the destination. */
export const OUTPUTS_UNPUBLISHED = "outputs-unpublished";
/** The files present at the start of a run that keeps its outputs only. Recorded before the run begins. */
export const FOUND_FILES = "files-found";
/** Written before the intermediate files of a finished run are removed. */
export const REMOVED_FILES = "intermediates-removed";
/** Written before a running run removes intermediate files that no later job reads. */
export const UNREAD_FILES = "intermediates-unread";
/** The remaining intermediate files of an unfinished run. */
export const LEFT_FILES = "intermediates-left";

/** Kinds of Reprise's own events. All other kinds are events of the engine. */
export const OWN_KINDS: ReadonlySet<string> = new Set([
  START,
  BEGUN,
  ENDED,
  STOPPED,
  INPUTS_FETCHED,
  OUTPUTS_PUBLISHED,
  OUTPUTS_UNPUBLISHED,
  FOUND_FILES,
  REMOVED_FILES,
  UNREAD_FILES,
  LEFT_FILES,
]);
