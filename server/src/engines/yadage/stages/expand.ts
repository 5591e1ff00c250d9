import { type YadageContext, jqOnce } from "#engines/yadage/state/context";
import { jqParameterSets } from "#engines/yadage/stages/jq-stage";
import type { MultiStep, Parameter, Scheduler } from "#engines/yadage/model";
import { evaluate, isExpression } from "#engines/yadage/stages/select";
import { taskWord } from "#engines/task-label";
import { ResultMissing, StageError } from "#engines/yadage/state/stage-error";
import type { Draft, ParameterSets } from "#engines/yadage/state/state";
import { resolveReferences } from "#engines/yadage/state/references";
import { fromWorkspace } from "#engines/yadage/state/places";
import { isMap } from "#engines/yadage/steps/resources";

/** Computes the parameters of all items that a stage adds. */
export function parameterSets(
  context: YadageContext,
  draft: Draft,
  scope: number,
  scheduler: Scheduler,
): ParameterSets {
  switch (scheduler.scheduler_type) {
    case "singlestep-stage":
      return { kind: "one", parameters: selectParameters(draft, scope, scheduler.parameters) };
    case "multistep-stage":
      return scattered(draft, scope, scheduler);
    case "jq-stage":
      return { kind: "each", each: jqParameterSets(context, draft, scope, scheduler) };
  }
}

/** Maximum width of a scatter. */
const SETS_MAX = 1_000_000;

export function countOf(sets: ParameterSets): number {
  switch (sets.kind) {
    case "one":
      return 1;
    case "each":
      return sets.each.length;
    case "zip":
      return Math.min(...sets.lists.map((list) => list.length));
    case "cartesian":
      return sets.lists.reduce((product, list) => product * list.length, 1);
  }
}

/** Returns the parameters of a node, which may contain references. */
export function parametersAt(sets: ParameterSets, position: number): unknown {
  switch (sets.kind) {
    case "one":
      return sets.parameters;
    case "each":
      return sets.each[position];
    case "zip":
      return withValues(sets, (at) => sets.lists[at]![position]);
    case "cartesian":
      return withValues(sets, (at) => sets.lists[at]![digitAt(sets.lists, position, at)]);
  }
}

type Scattered = Extract<ParameterSets, { keys: unknown }>;

function withValues({ common, keys }: Scattered, valueAt: (at: number) => unknown): unknown {
  return { ...common, ...Object.fromEntries(keys.map((key, at) => [key, valueAt(at)])) };
}

/** The last list turns fastest. */
function digitAt(lists: readonly (readonly unknown[])[], position: number, at: number): number {
  const below = lists.slice(at + 1).reduce((product, list) => product * list.length, 1);
  return Math.floor(position / below) % lists[at]!.length;
}

function selectParameters(draft: Draft, scope: number, parameters: readonly Parameter[]) {
  return Object.fromEntries(
    parameters.map(({ key, value }) => [key, isExpression(value) ? evaluate(draft, scope, value) : value]),
  );
}

function scattered(draft: Draft, scope: number, scheduler: MultiStep): ParameterSets {
  const common = selectParameters(draft, scope, scheduler.parameters);
  const { method, parameters: keys } = scheduler.scatter;
  const lists = keys.map((key) => {
    const list = common[key];
    if (!Object.hasOwn(common, key))
      throw new StageError(`it scatters "${key}", which is none of its parameters`);
    if (!Array.isArray(list)) throw new StageError(`it scatters "${key}", which is no list`);
    delete common[key];
    return grouped(list, scheduler);
  });
  const sets: ParameterSets = { kind: method, common, keys, lists };
  const count = countOf(sets);
  if (count > SETS_MAX)
    throw new StageError(`it scatters into ${count} parts; at most ${SETS_MAX} are allowed`);
  return sets;
}

/** Cuts a list into batches of a size, or into a number of nearly equal parts. */
function grouped(list: readonly unknown[], { batchsize, partitionsize }: MultiStep): readonly unknown[] {
  if (batchsize) {
    const count = Math.ceil(list.length / batchsize);
    return Array.from({ length: count }, (_, at) => list.slice(at * batchsize, (at + 1) * batchsize));
  }
  if (!partitionsize) return list;
  const count = Math.min(partitionsize, list.length);
  let end = 0;
  return Array.from({ length: count }, (_, at) => {
    const begin = end;
    end += Math.floor((list.length + at) / count);
    return list.slice(begin, end);
  });
}

/** Returns the word for a task of a scattered stage: `task 7 (s07.txt)`. Empty if the stage adds one node. */
export function taskAt(draft: Draft, sets: ParameterSets, position: number): readonly string[] {
  if (sets.kind === "one") return [];
  const valuesAt = (at: number) => {
    const parameters = parametersAt(sets, at) as Readonly<Record<string, unknown>>;
    const own = sets.kind === "each" ? parameters : picked(parameters, sets.keys);
    const known = resolveReferences(own, (node) => draft.node(node).result?.value, new Set());
    return fromWorkspace(isMap(known) ? known : { value: known });
  };
  const others = [0, countOf(sets) - 1].filter((at) => at !== position);
  return [taskWord({ number: position + 1, values: valuesAt(position), others: others.map(valuesAt) })];
}

function picked(values: Readonly<Record<string, unknown>>, keys: readonly string[]) {
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}

/** Resolves the references among the parameters of a node. Jq stages run their last program on the values. */
export function finalParameters(
  context: YadageContext,
  draft: Draft,
  scheduler: Scheduler,
  parameters: unknown,
): { readonly values: unknown; readonly parents: readonly number[] } {
  const used = new Set<number>();
  const resultOf = (number: number) => {
    const { result, name } = draft.node(number);
    if (result === null) throw new ResultMissing(name);
    return result.value;
  };
  const values = resolveReferences(parameters, resultOf, used);
  const parents = [...used];
  if (scheduler.scheduler_type !== "jq-stage") return { values, parents };
  return { values: jqOnce(context, scheduler.postscript, values), parents };
}
