import type { Caller, Operations } from "#operations/context";
import { maySee } from "#operations/permission";

export interface OpenAnswer {
  readonly caller: Caller;
  /** The token that it was asked with. */
  readonly token: string;
  readonly workflowId: string;
}

/** For an answer that goes on: calls back when whoever asked may not see the run any more. Answers how to call that off. */
export function holdAccess(
  { watching }: Pick<Operations, "watching">,
  { caller, token, workflowId }: OpenAnswer,
  onLost: () => void,
): () => void {
  return watching.access.hold({ token, workflowId, maySee: (workflow) => maySee(caller, workflow) }, onLost);
}
