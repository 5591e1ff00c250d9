import { type YadageContext, jq, jqOnce } from "#engines/yadage/state/context";
import type { JqStage } from "#engines/yadage/model";
import { mapLeaves, reference } from "#engines/yadage/state/references";
import { scopeIndex } from "#engines/yadage/stages/select";
import { ResultMissing, StageError } from "#engines/yadage/state/stage-error";
import type { Draft } from "#engines/yadage/state/state";
import { sortedKeys } from "#engines/yadage/steps/parameters";
import { pointerOf } from "#plumbing/formats/json-pointer";

/**
 * Computes the parameters of a jq stage. Each binding selects steps by a program over the index, and values from their
 * results by a second program: `{"$wflowref": [steps, results]}`. Outputs are pointers until the program of the stage
 * has arranged them.
 */
export function jqParameterSets(
  context: YadageContext,
  draft: Draft,
  scope: number,
  stage: JqStage,
): readonly unknown[] {
  const bound = replaced(stage.bindings, "$wflowref", (wanted) => bindingOf(context, draft, scope, wanted));
  const sets = jqOnce(context, stage.stepscript, bound);
  if (!Array.isArray(sets)) throw new StageError("the result of its stepscript is no list");
  return sets.map((one: unknown) => replaced(one, "$wflowpointer", referenceOf));
}

function bindingOf(context: YadageContext, draft: Draft, scope: number, wanted: unknown): unknown {
  const [steps, results] = Array.isArray(wanted) ? (wanted as unknown[]) : [];
  if (typeof steps !== "string" || typeof results !== "string")
    throw new StageError('"$wflowref" needs a list of two jq programs');
  const found = jq(context, steps, scopeIndex(draft, scope));
  return replaced(found, "_nodeid", (id) => jq(context, results, pointersTo(draft, Number(id))));
}

function pointersTo(draft: Draft, number: number): unknown {
  const { result, name } = draft.node(number);
  if (result === null) throw new ResultMissing(name);
  return mapLeaves(sortedKeys(result.value), (_leaf, path) => ({
    $wflowpointer: { step: String(number), result: pointerOf(path) },
  }));
}

function referenceOf(pointer: unknown): unknown {
  const { step, result } = (pointer ?? {}) as { readonly step?: unknown; readonly result?: unknown };
  if (typeof step !== "string" || !/^[0-9]+$/.test(step) || typeof result !== "string")
    throw new StageError('"$wflowpointer" needs a step and a result');
  return reference(Number(step), result);
}

/** Replaces each object that has the key, outermost first. */
function replaced(value: unknown, key: string, change: (inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => replaced(item, key, change));
  if (typeof value !== "object" || value === null) return value;
  if (Object.hasOwn(value, key)) return change((value as Record<string, unknown>)[key]);
  const entries = Object.entries(value).map(([name, item]: [string, unknown]) => [
    name,
    replaced(item, key, change),
  ]);
  return Object.fromEntries(entries) as unknown;
}
