import { mark, stageId } from "#engines/yadage/state/picture";
import type { Progress } from "#engines/yadage/state/progress";

/** Counts an item of a stage, a node or a workflow, as complete. Marks the stage in the picture when all are. */
export function countCompleted(progress: Progress, number: number, failed: boolean): void {
  const { draft } = progress;
  const { left, hasFailed, isApplied } = draft.rule(number);
  draft.changeRule(number, { left: left - 1, hasFailed: hasFailed || failed });
  if (isApplied && left === 1) completeRule(progress, number);
}

/** Completes a stage after its last item has been added and all items are complete. */
export function completeRule(progress: Progress, number: number): void {
  const { draft } = progress;
  const { scope, hasFailed, items } = draft.rule(number);
  progress.say(
    mark(stageId(draft, number), hasFailed ? "failed" : items.length === 0 ? "skipped" : "finished"),
  );
  const { left, maker, offset, hasFailed: scopeFailed } = draft.scope(scope);
  draft.changeScope(scope, { left: left - 1, hasFailed: scopeFailed || hasFailed });
  if (left > 1 || maker === null) return;
  progress.say(mark(offset, scopeFailed || hasFailed ? "failed" : "finished"));
  countCompleted(progress, maker, scopeFailed || hasFailed);
}
