import { itemAt } from "#engines/wide-list";
import type { Predicate } from "#engines/yadage/model";
import {
  evaluate,
  isExpression,
  isScope,
  isStep,
  matchesOf,
  maybeBareRule,
  scopeAt,
} from "#engines/yadage/stages/select";
import type { Draft } from "#engines/yadage/state/state";
import { ResultMissing, StageError } from "#engines/yadage/state/stage-error";

/** Tells if a stage is applicable, or names the event to wait for. The stage is checked again only after that event. */
export type Verdict =
  | { readonly kind: "applicable" }
  | { readonly kind: "result of"; readonly node: number }
  | { readonly kind: "application of"; readonly rule: number }
  /** The stage waits for an unspecified change: check it again after every change. */
  | { readonly kind: "change" };

const APPLICABLE: Verdict = { kind: "applicable" };

export function verdictOn(draft: Draft, scope: number, predicate: Predicate): Verdict {
  if (predicate.dependency_type === "expressions_fulfilled")
    return predicate.expressions.every((expression) => isFulfilled(draft, scope, expression))
      ? APPLICABLE
      : { kind: "change" };
  for (const query of predicate.expressions) {
    const verdict = verdictOnPath(draft, scope, query);
    if (verdict.kind !== "applicable") return verdict;
  }
  return APPLICABLE;
}

function isFulfilled(draft: Draft, scope: number, expression: unknown): boolean {
  if (!isExpression(expression)) throw new StageError("a dependency is no expression");
  try {
    return isTrue(evaluate(draft, scope, expression));
  } catch (error) {
    // Yadage itself fails here. The missing result may become available later.
    if (error instanceof ResultMissing) return false;
    throw error;
  }
}

/** Python's idea of truth. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function verdictOnPath(draft: Draft, scope: number, query: string): Verdict {
  const bare = maybeBareRule(draft, scope, query);
  if (typeof bare === "number") return verdictOnRule(draft, bare);
  const matches = matchesOf(draft, scope, query);
  if (matches.length === 0) return { kind: "change" };
  const entries = matches.flatMap((match) => (Array.isArray(match) ? match : [match]) as unknown[]);
  for (const entry of entries.toReversed()) {
    const verdict = verdictOnEntry(draft, entry);
    if (verdict.kind !== "applicable") return verdict;
  }
  return APPLICABLE;
}

function verdictOnEntry(draft: Draft, entry: unknown): Verdict {
  if (isStep(entry)) return verdictOnNode(draft, Number(entry._nodeid));
  return isScope(entry) ? verdictOnScope(draft, scopeAt(draft, entry._offset)) : APPLICABLE;
}

/** A stage has to be applied and to have added something. Looks from the end: the last node is the last to be ready. */
function verdictOnRule(draft: Draft, number: number): Verdict {
  const { isApplied, items } = draft.rule(number);
  if (!isApplied || items.length === 0) return { kind: "application of", rule: number };
  return verdictOnItems(draft, number);
}

function verdictOnItems(draft: Draft, number: number): Verdict {
  const { items } = draft.rule(number);
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = itemAt(items, at)!;
    const verdict = item >= 0 ? verdictOnNode(draft, item) : verdictOnScope(draft, -1 - item);
    if (verdict.kind !== "applicable") return verdict;
  }
  return APPLICABLE;
}

function verdictOnNode(draft: Draft, node: number): Verdict {
  return draft.node(node).result === null ? { kind: "result of", node } : APPLICABLE;
}

/** Every stage in the scope has to be applied and every node to have a result, in scopes within it too. */
function verdictOnScope(draft: Draft, scope: number): Verdict {
  for (const rule of draft.scope(scope).rules.toReversed()) {
    if (!draft.rule(rule).isApplied) return { kind: "application of", rule };
    const verdict = verdictOnItems(draft, rule);
    if (verdict.kind !== "applicable") return verdict;
  }
  return APPLICABLE;
}
