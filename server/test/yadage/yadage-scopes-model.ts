import { dependenciesOf, NUMBERS, type Plan, type Use } from "./yadage-scopes-plans.ts";

/** A slow and obvious model of Yadage's scopes. Every result is there at once, because every job succeeds. */

interface Node {
  readonly id: string;
  readonly name: string;
  readonly parents: readonly string[];
  readonly parameters: Tagged;
  readonly result: Tagged;
}

interface Scope {
  readonly offset: string;
  readonly folder: string;
  readonly plans: readonly Plan[];
  readonly init: Node;
  /** The nodes and scopes added by each stage; null before the stage is applied. */
  readonly added: (readonly (Node | Scope)[] | null)[];
}

/** A value. Each leaf names the publishing node. */
type Tagged = Leaf | readonly Tagged[] | { readonly [key: string]: Tagged };

class Leaf {
  readonly value: unknown;
  readonly from: string | null;
  constructor(value: unknown, from: string | null) {
    this.value = value;
    this.from = from;
  }
}

class Impossible extends Error {}

export interface Outcome {
  readonly nodes: Readonly<Record<string, unknown>>;
  /** Number of stages that were never applicable. */
  readonly waiting: number;
}

export function modelOf(plans: readonly Plan[]): Outcome | "fails" {
  const root = scopeOf("", "", plans, initOf("", "init", tagged({ n: NUMBERS }, null)));
  try {
    while (applyOne(root));
  } catch (error) {
    if (error instanceof Impossible) return "fails";
    throw error;
  }
  const nodes = nodesIn(root).map(({ id, name, parents, parameters, result }) => {
    const shown = { name, parents: [...parents], parameters: plain(parameters), result: plain(result) };
    return [id, shown] as const;
  });
  return { nodes: Object.fromEntries(nodes), waiting: waitingIn(root) };
}

/** Returns the content of the file that a step's job writes to a path in the job's folder. */
export function resultOf(path: string): { readonly n: readonly number[] } {
  return { n: [path.length, path.charCodeAt(1)] };
}

function scopeOf(offset: string, folder: string, plans: readonly Plan[], init: Node): Scope {
  return { offset, folder, plans, init, added: plans.map(() => null) };
}

function initOf(offset: string, name: string, parameters: Tagged): Node {
  const id = `${offset}/init:0`;
  return { id, name, parents: sources(parameters), parameters, result: tagged(plain(parameters), id) };
}

/** Applies the first stage that can be applied, in whichever scope. */
function applyOne(scope: Scope): boolean {
  const { plans, added } = scope;
  const ready = plans.findIndex(
    (plan, stage) => added[stage] === null && dependenciesOf(plan).every((path) => isReady(scope, path)),
  );
  if (ready === -1) return added.some((items) => items?.some((item) => "plans" in item && applyOne(item)));
  added[ready] = partsOf(scope, plans[ready]!).map((n, part) => itemOf(scope, ready, { n, part }));
  return true;
}

function isReady(scope: Scope, path: string): boolean {
  if (path === "init") return true;
  const bare = /^s(\d)$/.exec(path);
  const items = bare ? (scope.added[Number(bare[1])] ?? []) : entriesAt(scope, path);
  return items.length > 0 && items.every(isComplete);
}

function isComplete(item: Node | Scope): boolean {
  return !("plans" in item) || item.added.every((items) => items !== null && items.every(isComplete));
}

/** Returns the selection of `s1`, `s1[*].s0` or `s1[0].s0`. */
function entriesAt(scope: Scope, path: string): readonly (Node | Scope)[] {
  const [, stage, which, inner] = /^s(\d)(?:\[(.)\])?(?:\.s(\d))?$/.exec(path)!;
  const items = scope.added[Number(stage)] ?? [];
  const chosen = which === "0" ? items.slice(0, 1) : items;
  if (inner === undefined) return chosen;
  return chosen.flatMap((item) => ("plans" in item ? (item.added[Number(inner)] ?? []) : []));
}

function partsOf(scope: Scope, { uses, scatters }: Plan): readonly Tagged[] {
  const value = uses ? valueOf(scope, uses) : outputOf(scope.init, "n");
  if (!scatters) return [value];
  if (!isList(value)) throw new Impossible();
  return value;
}

function itemOf(scope: Scope, stage: number, { n, part }: { n: Tagged; part: number }): Node | Scope {
  const { scatters, inner, isLate } = scope.plans[stage]!;
  const name = scatters ? `s${stage}_${part}` : `s${stage}`;
  const folder = scope.folder === "" ? name : `${scope.folder}/${name}`;
  if (inner) {
    const offset = `${scope.offset}/s${stage}/${part}`;
    return scopeOf(offset, folder, inner, initOf(offset, `init_${name}`, { n }));
  }
  const id = `${scope.offset}/s${stage}:${part}`;
  const result = isLate ? resultOf(`${folder}/out.yml`) : plain({ n });
  return { id, name, parents: sources(n), parameters: { n }, result: tagged(result, id) };
}

function valueOf(scope: Scope, { how, stage, inner, flatten, unwrap }: Use): Tagged {
  const path =
    how === "inside" ? `s${stage}[*].s${inner}` : how === "first" ? `s${stage}[0].s${inner}` : `s${stage}`;
  if (how === "value") return registeredIn(scope, stage);
  if (how === "value-of") {
    const [item] = entriesAt(scope, `s${stage}[0]`);
    if (!item || !("plans" in item)) throw new Impossible();
    return registeredIn(item, inner);
  }
  const key = how === "registered" ? `k${inner}` : "n";
  const outputs = entriesAt(scope, path).map((item) =>
    "plans" in item ? registeredUnder(item, key) : outputOf(item, key),
  );
  if (how === "step") {
    if (outputs.length !== 1) throw new Impossible();
    return outputs[0]!;
  }
  const list = flatten ? outputs.flatMap((output) => (isList(output) ? output : [output])) : outputs;
  return unwrap && list.length === 1 ? list[0]! : list;
}

function outputOf(node: Node, key: string): Tagged {
  if (key !== "n") throw new Impossible();
  return (node.result as { readonly n: Tagged }).n;
}

function registeredUnder(scope: Scope, key: string): Tagged {
  return key === "n" ? new Leaf(null, null) : registeredIn(scope, Number(key.slice(1)));
}

/** A stage with registered values registers its own outputs in its scope. */
function registeredIn(scope: Scope, stage: number): Tagged {
  const items = scope.added[stage];
  if (!scope.plans[stage]?.registers || !items) return new Leaf(null, null);
  return items.map((item) => ("plans" in item ? registeredUnder(item, "n") : outputOf(item, "n")));
}

function tagged(value: unknown, from: string | null): Tagged {
  if (Array.isArray(value)) return value.map((item) => tagged(item, from));
  if (typeof value !== "object" || value === null) return new Leaf(value, from);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, tagged(item, from)]));
}

function isList(value: Tagged): value is readonly Tagged[] {
  return Array.isArray(value);
}

function plain(value: Tagged): unknown {
  if (value instanceof Leaf) return value.value;
  if (isList(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/**
 * Returns the nodes that published a leaf of the value. `null` has no publisher, because jq does not count
 * nulls.
 */
function sources(value: Tagged): readonly string[] {
  const found = leavesOf(value).flatMap((leaf) =>
    leaf.value === null || leaf.from === null ? [] : [leaf.from],
  );
  return [...new Set(found)].toSorted();
}

function leavesOf(value: Tagged): readonly Leaf[] {
  return value instanceof Leaf ? [value] : Object.values(value).flatMap(leavesOf);
}

function nodesIn({ init, added }: Scope): readonly Node[] {
  const items = added.flatMap((some) => some ?? []);
  return [init, ...items.flatMap((item) => ("plans" in item ? nodesIn(item) : [item]))];
}

function waitingIn({ added }: Scope): number {
  const own = added.filter((items) => items === null).length;
  const inner = added.flatMap((items) => items ?? []).map((item) => ("plans" in item ? waitingIn(item) : 0));
  return inner.reduce((sum, count) => sum + count, own);
}
