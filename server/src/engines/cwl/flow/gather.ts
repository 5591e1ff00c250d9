import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import type { Sink, Source, Workflow } from "#engines/cwl/model/model";
import type { Scope } from "#engines/cwl/flow/state";

/** Returns the value arriving at an input of a step or an output of a workflow: sources, merge, then pick. */
export function gatherSources(sink: Sink, workflow: Workflow, scope: Scope, what: string): unknown {
  const { sources, linkMerge, pickValue } = sink;
  const values = sources.map((source) => valueAt(source, workflow, scope));
  const merged = isMerged(sink, values[0]) ? merge(values, linkMerge) : (values[0] ?? null);
  return pickValue === undefined || !Array.isArray(merged)
    ? merged
    : picked(merged as unknown[], pickValue, what);
}

/** A list with one source is also merged if a value is picked and the value of the source is not already a list. */
function isMerged({ sources, isList, hasLinkMerge, pickValue }: Sink, first: unknown): boolean {
  if (sources.length !== 1) return sources.length > 1;
  return hasLinkMerge || (isList && pickValue !== undefined && !Array.isArray(first));
}

function valueAt([first, output]: Source, workflow: Workflow, scope: Scope): unknown {
  if (output === undefined) return scope.inputs[first] ?? null;
  const index = workflow.steps.findIndex(({ name }) => name === first);
  const step = scope.steps[index];
  return step?.kind === "done" ? (step.outputs[output] ?? null) : null;
}

function merge(values: readonly unknown[], how: Sink["linkMerge"]): readonly unknown[] {
  return how === "merge_nested" ? values : values.flat(1);
}

function picked(values: readonly unknown[], how: NonNullable<Sink["pickValue"]>, what: string): unknown {
  const there = values.filter((value) => value !== null);
  switch (how) {
    case "all_non_null":
      return there;
    case "first_non_null":
      if (there.length === 0)
        throw new CwlFailure(
          `${what}: \`first_non_null\` finds nothing: all ${values.length} sources are null.`,
        );
      return there[0];
    case "the_only_non_null":
      if (there.length === 1) return there[0];
      throw new CwlFailure(
        `${what}: \`the_only_non_null\` finds ${there.length} values that are not null among ${values.length}, not one.`,
      );
  }
}

/** Returns whether all values named by the sources are available. */
export function isSupplied(sinks: readonly Sink[], workflow: Workflow, scope: Scope): boolean {
  return sinks.every(({ sources }) =>
    sources.every(([step, output]) => {
      if (output === undefined) return true;
      return scope.steps[workflow.steps.findIndex(({ name }) => name === step)]?.kind === "done";
    }),
  );
}
