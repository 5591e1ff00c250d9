import { itemsOf } from "#engines/wide-list";
import { type YadageContext, stageOf } from "#engines/yadage/state/context";
import type { Draft, Rule } from "#engines/yadage/state/state";
import { fromWorkspace } from "#engines/yadage/state/places";

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the published results of the run, by stage: the result of a stage with one step, or a list with one entry for
 * each step. A workflow within a stage has an object of the same kind. Paths are relative to the workspace.
 */
export function outputsOf(context: YadageContext, draft: Draft): Values {
  return fromWorkspace(valuesIn(context, draft, 0));
}

function valuesIn(context: YadageContext, draft: Draft, scope: number): Values {
  const rules = draft
    .scope(scope)
    .rules.map((number) => draft.rule(number))
    .filter(({ stage, items }) => stage !== null && items.length > 0);
  return Object.fromEntries(rules.map((rule) => [rule.name, valueOf(context, draft, rule)]));
}

function valueOf(context: YadageContext, draft: Draft, rule: Rule): unknown {
  const values = itemsOf(rule.items).map((item) =>
    item! >= 0 ? (draft.node(item!).result?.value ?? null) : valuesIn(context, draft, -1 - item!),
  );
  const isSingle = stageOf(context, draft, rule)!.scheduler.scheduler_type === "singlestep-stage";
  return isSingle ? values[0] : values;
}
