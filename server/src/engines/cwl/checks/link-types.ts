import { ANYTHING } from "#engines/cwl/checks/type-fit";
import type { Process, Sink, Source, Workflow, WorkflowStep } from "#engines/cwl/model/model";
import { branchesOf, type CwlType, isPrimitive } from "#engines/cwl/model/types";

/** Returns the type arriving at a sink, before the default applies: sources, merge, then pick. */
export function arrivingType(sink: Sink, workflow: Workflow, processes: readonly Process[]): CwlType {
  const { sources, isList, linkMerge, hasLinkMerge, pickValue } = sink;
  const types = sources.map((source) => typeAt(source, workflow, processes));
  const isPicked = isList && pickValue !== undefined && !branchesOf(types[0] ?? "null").some(mayBeList);
  const isMerged = types.length > 1 || (types.length === 1 && (hasLinkMerge || isPicked));
  const merged = isMerged ? mergedType(types, linkMerge) : (types[0] ?? "null");
  return pickValue === undefined ? merged : pickedType(merged, pickValue);
}

/** Returns the type of a source's values. A value with a default is never null. */
export function typeAt([first, output]: Source, workflow: Workflow, processes: readonly Process[]): CwlType {
  if (output === undefined) {
    const input = workflow.inputs.find(({ name }) => name === first);
    if (!input) return ANYTHING;
    return hasDefault(input) ? withoutNull(input.type) : input.type;
  }
  const step = workflow.steps.find(({ name }) => name === first);
  const given = step && processes[step.run]?.outputs.find(({ name }) => name === output);
  return given ? stepType(step, given.type) : ANYTHING;
}

/** Returns the type of a step's output: nullable if the step may be skipped, and in lists if it is scattered. */
function stepType({ when, scatter, scatterMethod }: WorkflowStep, type: CwlType): CwlType {
  const one = when === undefined ? type : unionOf(["null", type]);
  const depth = scatterMethod === "nested_crossproduct" ? scatter.length : Math.min(scatter.length, 1);
  return Array.from({ length: depth }).reduce<CwlType>((items) => ({ kind: "array", items }), one);
}

function mergedType(types: readonly CwlType[], how: Sink["linkMerge"]): CwlType {
  const items = how === "merge_nested" ? types : types.map(itemType);
  return { kind: "array", items: unionOf(items) };
}

/** Returns the type of the items that flattening adds: the item type of a list, or any other type unchanged. */
function itemType(type: CwlType): CwlType {
  return unionOf(
    branchesOf(type).map((branch) => {
      if (branch === "Any") return ANYTHING;
      return isArray(branch) ? branch.items : branch;
    }),
  );
}

function pickedType(type: CwlType, how: NonNullable<Sink["pickValue"]>): CwlType {
  const picked = branchesOf(type).map((branch): CwlType => {
    if (!isArray(branch)) return branch;
    const items = withoutNull(branch.items);
    return how === "all_non_null" ? { kind: "array", items } : items;
  });
  return unionOf(picked);
}

function mayBeList(type: CwlType): boolean {
  return type === "Any" || isArray(type);
}

function isArray(type: CwlType): type is Extract<CwlType, { kind: "array" }> {
  return !isPrimitive(type) && type.kind === "array";
}

export function hasDefault(parameter: { readonly default?: unknown }): boolean {
  return parameter.default !== undefined && parameter.default !== null;
}

/** Returns a type without null. The type null alone stays. */
export function withoutNull(type: CwlType): CwlType {
  const others = branchesOf(type).filter((branch) => branch !== "null");
  return others.length === 0 ? type : unionOf(others);
}

function unionOf(types: readonly CwlType[]): CwlType {
  const branches = new Map(types.flatMap(branchesOf).map((type) => [JSON.stringify(type), type]));
  const of = [...branches.values()];
  return of.length === 1 ? of[0]! : { kind: "union", of };
}
