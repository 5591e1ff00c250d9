import { gatherSources, isSupplied } from "#engines/cwl/flow/gather";
import type { CwlState, Scope } from "#engines/cwl/flow/state";
import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import type { CwlModel, Workflow } from "#engines/cwl/model/model";
import { passedMismatch } from "#engines/cwl/values/conform";

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the outputs of a run that fails now: the outputs of finished steps, and null for the rest. Undefined if no
 * work has begun.
 */
export function maybePartialOutputs(model: CwlModel, { root, results }: CwlState): Values | undefined {
  if (results) return results.values;
  const main = model.processes[model.main]!;
  if (main.kind === "workflow" && root.kind === "scope")
    return Object.fromEntries(
      main.outputs.map((output) => [output.name, valueOf(output, main, root)] as const),
    );
  const hasBegun = root.kind === "leaf" && root.bound !== undefined;
  return hasBegun ? Object.fromEntries(main.outputs.map(({ name }) => [name, null] as const)) : undefined;
}

function valueOf(output: Workflow["outputs"][number], workflow: Workflow, scope: Scope): unknown {
  if (!isSupplied([output], workflow, scope)) return null;
  try {
    const value = gatherSources(output, workflow, scope, output.name);
    return passedMismatch(value, output.type) === undefined ? value : null;
  } catch (error) {
    if (error instanceof CwlFailure) return null;
    throw error;
  }
}
