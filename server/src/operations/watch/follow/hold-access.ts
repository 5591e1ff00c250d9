import type { Caller } from "#operations/context";
import type { WatchServices } from "#operations/watch/services";

export interface OpenAnswer {
  readonly caller: Caller;
  /** Token of the request. */
  readonly token: string;
  readonly runId: string;
}

/**
 * Calls `onLost` when the caller of an open answer may no longer see the run. Returns a function that ends the watch.
 */
export function holdAccess(
  { watching }: Pick<WatchServices, "watching">,
  { caller, token, runId }: OpenAnswer,
  onLost: () => void,
): () => void {
  return watching.access.hold({ token, runId, callerId: caller.id }, onLost);
}
