import { itemsOf } from "#engines/wide-list";
import { logLine } from "#engines/yadage/state/log";
import { mark, stageId } from "#engines/yadage/state/picture";
import type { Progress } from "#engines/yadage/state/progress";
import { outputsOf } from "#engines/yadage/results/outputs";
import { maybeSnapshot } from "#engines/yadage/results/snapshot";

/** Ends the run: no node is running or can start, and no stage is applicable. The state is written first. */
export function conclude(progress: Progress): void {
  const { context, draft } = progress;
  if (!draft.state.isConcluding) {
    draft.set({ isConcluding: true });
    const snapshot = maybeSnapshot(context, draft);
    if (snapshot) return progress.ask({ kind: "snapshot" }, (id) => ({ do: "write", id, files: [snapshot] }));
  }
  sayWhatNeverBecameApplicable(progress);
  progress.say(logLine("adage", "adage state loop done."));
  const { failure } = draft.state;
  if (failure) {
    const others = failure.count > 1 ? ` ${failure.count - 1} more failed.` : "";
    progress.say(logLine("adage", "workflow finished but failed", "ERROR"));
    return progress.fail(`${failure.sentence}${others}`, failure.job);
  }
  progress.say(logLine("adage", "execution valid. (in terms of execution order)"));
  progress.say(logLine("adage", "workflow completed successfully."));
  progress.end();
  progress.say({ do: "finish", outputs: outputsOf(context, draft) });
}

/** Maximum number of named stages: a wide workflow may have left out thousands. */
const NAMED_MAX = 20;

/** Mentions stages that never became applicable, often by a slip. As in Yadage, such stages do not fail the run. */
function sayWhatNeverBecameApplicable(progress: Progress): void {
  const { context, draft } = progress;
  const rules = itemsOf(draft.state.rules).flatMap((rule, number) =>
    rule!.isApplied ? [] : [{ rule: rule!, number }],
  );
  for (const { number } of rules) progress.say(mark(stageId(draft, number), "skipped"));
  for (const { rule, number } of rules.slice(0, NAMED_MAX)) {
    const { definition } = draft.scope(rule.scope);
    const { dependencies } = context.workflows[definition]!.stages[rule.stage!]!;
    const wanted = dependencies.expressions.map((one) =>
      typeof one === "string" ? one : JSON.stringify(one),
    );
    const line = `Stage ${stageId(draft, number)} never became applicable: its dependencies (${wanted.join(", ")}) were not met.`;
    progress.say(logLine("yadage", line, "ERROR"));
  }
  const more = rules.length - NAMED_MAX;
  if (more > 0) progress.say(logLine("yadage", `${more} more stages never became applicable.`, "ERROR"));
}
