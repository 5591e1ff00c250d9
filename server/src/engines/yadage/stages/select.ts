import { itemAt, itemsOf } from "#engines/wide-list";
import { referencesTo } from "#engines/yadage/state/references";
import { ResultMissing, StageError } from "#engines/yadage/state/stage-error";
import type { Draft, Rule } from "#engines/yadage/state/state";
import { pythonStr } from "#plumbing/formats/python-text";
import { partsOf } from "#plumbing/formats/json-pointer";
import { type JsonPath, JsonPathError, parseJsonPath } from "#plumbing/formats/json-path";

/** Selects steps by JSONPath in the index of a scope, and their outputs. */

/** An entry of the index: a node, or a nested workflow with its own index. */
interface StepEntry {
  readonly _nodeid: string;
}

interface ScopeEntry {
  readonly _offset: string;
  readonly [stage: string]: unknown;
}

/** Returns the index of a scope, in Yadage's format: `{stage: [{_nodeid} | {_offset, stage: …}]}`. */
export function scopeIndex(draft: Draft, scope: number): Readonly<Record<string, unknown>> {
  const { offset, rules } = draft.scope(scope);
  const entries = rules
    .map((number) => draft.rule(number))
    .filter(({ items }) => items.length > 0)
    .map((rule): [string, unknown[]] => [rule.name, entriesOf(draft, rule)]);
  const stages = Object.fromEntries(entries);
  return offset === "" ? stages : { _offset: offset, ...stages };
}

function entriesOf(draft: Draft, { items }: Rule): unknown[] {
  return itemsOf(items).map((item) =>
    item! >= 0 ? ({ _nodeid: String(item) } satisfies StepEntry) : scopeIndex(draft, -1 - item!),
  );
}

export function isStep(entry: unknown): entry is StepEntry {
  return typeof entry === "object" && entry !== null && Object.hasOwn(entry, "_nodeid");
}

export function isScope(entry: unknown): entry is ScopeEntry {
  return typeof entry === "object" && entry !== null && Object.hasOwn(entry, "_offset");
}

/** The plain name of a stage: by far the most frequent path. */
const BARE_NAME = /^[A-Za-z_@][A-Za-z0-9_@-]*$/;

export function maybeBareRule(
  draft: Draft,
  scope: number,
  query: string,
): number | "no such stage" | undefined {
  if (!BARE_NAME.test(query)) return undefined;
  const found = draft.scope(scope).rules.find((number) => draft.rule(number).name === query);
  return found ?? "no such stage";
}

/** Returns the matches of the path in the index of the scope. */
export function matchesOf(draft: Draft, scope: number, query: string): unknown[] {
  const bare = maybeBareRule(draft, scope, query);
  if (bare === "no such stage") return [];
  if (bare !== undefined) {
    const rule = draft.rule(bare);
    return rule.items.length === 0 ? [] : [entriesOf(draft, rule)];
  }
  return readPath(query)(scopeIndex(draft, scope));
}

function readPath(path: string): JsonPath {
  try {
    return parseJsonPath(path);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new StageError(`the path "${path}" is no JSONPath: ${error.message}`);
  }
}

/** Returns the steps and scopes selected by a query, either directly or as items of a matching stage. */
function selected(draft: Draft, scope: number, query: string) {
  const entries = matchesOf(draft, scope, query).flatMap(
    (match) => (Array.isArray(match) ? match : [match]) as unknown[],
  );
  return {
    steps: entries.filter(isStep).map(({ _nodeid }) => Number(_nodeid)),
    scopes: entries.filter(isScope).map(({ _offset }) => scopeAt(draft, _offset)),
  };
}

/** Returns the existing scope with the offset. */
export function scopeAt(draft: Draft, offset: string): number {
  return maybeScopeAt(draft, partsOf(offset))!;
}

/** Returns the stage with the given id in the picture (`/map/0/fit`). */
export function maybeRuleAt(draft: Draft, id: string): number | undefined {
  const parts = partsOf(id);
  const scope = maybeScopeAt(draft, parts.slice(0, -1));
  return scope === undefined ? undefined : maybeRuleNamed(draft, scope, parts.at(-1));
}

function maybeScopeAt(draft: Draft, parts: readonly string[]): number | undefined {
  let scope = 0;
  for (let at = 0; at < parts.length; at += 2) {
    const rule = maybeRuleNamed(draft, scope, parts[at]);
    const item = rule === undefined ? null : itemAt(draft.rule(rule).items, Number(parts[at + 1]));
    if (item === null || item >= 0) return undefined;
    scope = -1 - item;
  }
  return scope;
}

function maybeRuleNamed(draft: Draft, scope: number, name: string | undefined): number | undefined {
  return draft.scope(scope).rules.find((number) => draft.rule(number).name === name);
}

export function isExpression(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "expression_type");
}

/** Evaluates an expression in a scope: to references, or to a plain value. */
export function evaluate(
  draft: Draft,
  scope: number,
  expression: Readonly<Record<string, unknown>>,
): unknown {
  const type = expression["expression_type"];
  if (type === "stage-output-selector") return selectOutputs(draft, scope, expression);
  if (type === "fromvalue") return registeredValue(draft, scope, expression);
  throw new StageError(`there is no expression type "${pythonStr(type)}"`);
}

function selectOutputs(draft: Draft, scope: number, selection: Readonly<Record<string, unknown>>): unknown {
  const { stages, steps, step, output } = selection;
  if (stages !== undefined && steps !== undefined)
    throw new StageError('an expression holds both "stages" and "steps", which mean the same');
  const query = stages ?? steps;
  if (query !== undefined) {
    const outputs = outputsOf(draft, scope, pythonStr(query), output);
    return combined(outputs, selection["flatten"] === true, selection["unwrap"] === true);
  }
  if (step === undefined) throw new StageError('an expression needs "step" or "stages"');
  const outputs = outputsOf(draft, scope, pythonStr(step), output);
  if (outputs.length !== 1)
    throw new StageError(
      `"step: ${pythonStr(step)}" selects ${outputs.length} steps; it must select one. Use "stages" for a list of them`,
    );
  return outputs[0];
}

function outputsOf(draft: Draft, scope: number, query: string, output: unknown): unknown[] {
  const { steps, scopes } = selected(draft, scope, query);
  if (scopes.length > 0 && steps.length > 0)
    throw new StageError(`"${query}" selects steps and workflows at once`);
  if (scopes.length > 0) return scopes.map((number) => valueIn(draft, number, output));
  return steps.map((node) => outputOf(draft, node, output));
}

/** Returns references to an output of a node. The output is named by a key, or by a JSONPath with one match. */
function outputOf(draft: Draft, number: number, output: unknown): unknown {
  const node = draft.node(number);
  if (node.result === null) throw new ResultMissing(node.name);
  const { value } = node.result;
  const references = referencesTo(number, value);
  const path = typeof output === "string" && output !== "" ? output : "$";
  const isMap = typeof references === "object" && references !== null && !Array.isArray(references);
  const isLeaf = typeof value !== "object" || value === null;
  if (isMap && !isLeaf && Object.hasOwn(references, path))
    return (references as Record<string, unknown>)[path];
  if (isLeaf && path === "$") return references;
  const matches = isLeaf ? [] : readPath(path)(references);
  if (matches.length === 1) return matches[0];
  const keys = isMap && !isLeaf ? Object.keys(references).join(", ") : "";
  const known = keys === "" ? "" : ` (its outputs: ${keys})`;
  const count = matches.length === 0 ? "no output" : `${matches.length} outputs`;
  throw new StageError(`"${path}" matches ${count} of "${node.name}"${known}; it must match one`);
}

function combined(outputs: readonly unknown[], flattens: boolean, unwraps: boolean): unknown {
  const list = flattens ? outputs.flat(1) : outputs;
  return list.length === 1 && unwraps ? list[0] : list;
}

/** Returns the value registered in a scope under a key, evaluated in the scope; null if the key is unknown. */
function valueIn(draft: Draft, scope: number, key: unknown): unknown {
  const value = typeof key === "string" ? draft.scope(scope).values[key] : undefined;
  if (value === undefined || value === null) return null;
  if (isExpression(value)) return evaluate(draft, scope, value);
  throw new StageError(`the registered value "${pythonStr(key)}" is no expression`);
}

function registeredValue(
  draft: Draft,
  scope: number,
  expression: Readonly<Record<string, unknown>>,
): unknown {
  const { key, scope: query } = expression;
  if (query === undefined) return valueIn(draft, scope, key);
  const { scopes } = selected(draft, scope, pythonStr(query));
  if (scopes.length === 1) return valueIn(draft, scopes[0]!, key);
  throw new StageError(`the scope "${pythonStr(query)}" is ${scopes.length} workflows; it must be one`);
}
