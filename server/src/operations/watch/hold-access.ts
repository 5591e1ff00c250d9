import type { Caller, Operations } from "#operations/context";
import { maySee } from "#operations/permission";

export interface OpenAnswer {
  readonly caller: Caller;
  /** Token that the request was made with. */
  readonly token: string;
  readonly workflowId: string;
}

/**
 * Calls `onLost` when the caller of an open answer may no longer see the run. Returns a function that ends the watch.
 */
export function holdAccess(
  { watching }: Pick<Operations, "watching">,
  { caller, token, workflowId }: OpenAnswer,
  onLost: () => void,
): () => void {
  return watching.access.hold({ token, workflowId, maySee: (workflow) => maySee(caller, workflow) }, onLost);
}
