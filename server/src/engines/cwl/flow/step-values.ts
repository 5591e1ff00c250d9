import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import { gatherSources } from "#engines/cwl/flow/gather";
import type { ProcessPlace } from "#engines/cwl/flow/places";
import { arrangeResults } from "#engines/cwl/flow/scatter";
import type { RunningStep, Scope } from "#engines/cwl/flow/state";
import type { Workflow } from "#engines/cwl/model/model";
import { passedMismatch } from "#engines/cwl/values/conform";
import { itemsOf } from "#engines/wide-list";

type Step = Workflow["steps"][number];
type Values = Readonly<Record<string, unknown>>;

/** Returns the inputs of a step, before they are scattered. `what` names the step in a failure. */
export function gatheredInputs(step: Step, workflow: Workflow, scope: Scope, what: string): Values {
  return Object.fromEntries(
    step.inputs.map((sink) => {
      const value = gatherSources(sink, workflow, scope, `${what}, input \`${sink.name}\``);
      return [sink.name, value === null ? (sink.default ?? null) : value];
    }),
  );
}

/** Returns the outputs of a step after all tasks have ended: the outputs of a single task, or lists of all outputs. */
export function stepOutputs(step: Step, { results: all, shape }: RunningStep): Values {
  const results = itemsOf(all);
  return Object.fromEntries(
    step.outputs.map((name) => {
      if (step.scatter.length === 0) return [name, results[0]?.[name] ?? null];
      const values = results.map((one) => one?.[name] ?? null);
      return [name, arrangeResults(step, shape, values)];
    }),
  );
}

/** Returns the outputs of a workflow after all steps have ended. Throws if an output has the wrong type. */
export function workflowOutputs(place: ProcessPlace, scope: Scope): Values {
  const workflow = place.process as Workflow;
  return Object.fromEntries(
    workflow.outputs.map((output) => {
      const what = `${place.what}, output \`${output.name}\``;
      const value = gatherSources(output, workflow, scope, what);
      const reason = passedMismatch(value, output.type);
      if (reason !== undefined) throw new CwlFailure(`${what} ${reason}.`);
      return [output.name, value];
    }),
  );
}
